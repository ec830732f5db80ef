import { type Kysely, sql } from 'kysely'

/** The removal of a comment deletes the live events of its notifications, whose recipients it reads by this index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index notifications_comment on notifications (comment_id) where comment_id is not null`.execute(db)
}
