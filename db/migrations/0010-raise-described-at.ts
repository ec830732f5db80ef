import { type Kysely, sql } from 'kysely'

/*
 * When a creator last changed what it says about a raise: those who committed by it can see that it is another text now.
 * updated_at is also that of being featured.
 */
const statements = [
  sql`alter table raise_metadata add column described_at timestamptz(3)`,
  sql`update raise_metadata set described_at = updated_at
    where coalesce(description, image_url, website, twitter, telegram, discord) is not null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
