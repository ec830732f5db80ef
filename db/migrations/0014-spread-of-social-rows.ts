import { type Kysely, sql } from 'kysely'

/*
 * Comments, likes and follows are joined with rows that are on one server, such as notifications and reports, and are few beside
 * trades: they are there as well.
 */
const TABLES = ['comment_likes', 'comments', 'follow_counts', 'follows', 'token_likes']

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of TABLES) {
    const { rows } = await sql<{ comment: string }>`
      select obj_description(oid) as comment from pg_class
      where relname = ${table} and relnamespace = current_schema()::regnamespace`.execute(db)
    const comment = rows[0]!.comment.replace(/ Spread: .+\.$/, ' Spread: local.')
    await sql`comment on table ${sql.table(table)} is ${sql.lit(comment)}`.execute(db)
  }
}
