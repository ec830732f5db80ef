import { type Kysely, sql } from 'kysely'

/** Erases the texts of deleted comments that were kept for their reports, and were still kept after the last decision. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update comments c set body = '' where deleted_at is not null and body <> ''
    and not exists (select from reports r where r.comment_id = c.id and r.status = 'open')`.execute(db)
}
