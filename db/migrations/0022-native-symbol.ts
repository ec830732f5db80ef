import { type Kysely, sql } from 'kysely'

/** Records name the asset of their amounts: live events are built where only the database is at hand. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chain_state add column native_symbol text not null default 'ETH'`.execute(db)
}
