import { type Kysely, sql } from 'kysely'

/*
 * Time of the creator's last edit of a raise's texts. updated_at also changes when the raise is featured.
 */
const statements = [
  sql`alter table raise_metadata add column described_at timestamptz(3)`,
  sql`update raise_metadata set described_at = updated_at
    where coalesce(description, image_url, website, twitter, telegram, discord) is not null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
