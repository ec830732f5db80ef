import { type Kysely, sql } from 'kysely'

/*
 * Counts, flags and numbers that triggers kept are written by the statements that change their cause: a table with a trigger
 * cannot be distributed over several servers.
 *
 * Earlier versions relied on the triggers. Their processes must be stopped before this one starts.
 */

const TRIGGERS = [
  ['tokens', 'find_taken_symbol'],
  ['tokens', 'mark_symbols_after_insert'],
  ['tokens', 'mark_symbols_after_delete'],
  ['tokens', 'number_contracts'],
  ['follows', 'count_follow'],
  ['token_metadata', 'count_image_change'],
  ['token_metadata', 'set_creation'],
  ['token_likes', 'count_token_like'],
  ['token_likes', 'set_creation'],
  ['comments', 'count_comment'],
  ['comments', 'set_creation'],
  ['comment_likes', 'count_comment_like'],
  ['notifications', 'set_creation'],
] as const

const functions = sql`
  drop function find_taken_symbol, mark_taken_symbols, number_contracts, count_follow, count_image_change, count_token_like,
    count_comment, count_comment_like, set_creation, set_notification_creation;
`

// A statement that omits it fails.
const creations = sql`
  alter table token_metadata alter column creation drop default;
  alter table token_likes alter column creation drop default;
  alter table token_counts alter column creation drop default;
  alter table comments alter column creation drop default;
`

const comments = sql`
  comment on table tokens is 'Launch of a token. Appended; whether its symbol was taken before may change with earlier launches.';
  comment on table contract_ids is
    'Number of a launchpad or quote asset in the rows of trades. With the first token of each.';
  comment on table follow_counts is 'Counts of the follows of a wallet. With each follow.';
  comment on table token_counts is 'Counts of the comments and likes of a token. With each of them.';
`

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, name] of TRIGGERS) await sql`drop trigger ${sql.id(name)} on ${sql.table(table)}`.execute(db)
  for (const part of [functions, creations, comments]) await part.execute(db)
}
