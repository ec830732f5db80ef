import { type Kysely, sql } from 'kysely'

/*
 * A comment that was taken away and has replies keeps its place in the lists, without its text and author. A column says so, and
 * not the condition of an index: a count in it would be a new entry in every index with each reply.
 */
const statements = [
  sql`alter table comments add column shown boolean not null
    generated always as ((deleted_at is null and not hidden and not silenced) or reply_count > 0) stored`,
  sql`drop index comments_token`,
  sql`drop index comments_roots`,
  sql`create index comments_token on comments (token, id desc) where shown`,
  sql`create index comments_roots on comments (token, id desc) where shown and parent_id is null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
