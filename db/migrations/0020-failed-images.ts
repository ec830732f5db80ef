import { type Kysely, sql } from 'kysely'

/* What ended the process that decoded it, so that no replica tries it again with the same decoders. */
const statements = [
  sql`create table failed_images (
    id text collate "C" primary key,
    decoders text not null,
    reason text not null,
    failed_at timestamptz not null default now()
  )`,
  sql`create index failed_images_age on failed_images (failed_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
