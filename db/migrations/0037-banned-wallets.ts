import { type Kysely, sql } from 'kysely'

/** The list of banned wallets reads them by this index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index profiles_banned on profiles (banned_at desc, wallet desc) where banned_at is not null`.execute(
    db,
  )
}
