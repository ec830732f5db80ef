import { sql, type Transaction } from 'kysely'
import type { Database } from '../schema.ts'

/*
 * Counts of what users write. What adds, shows, hides or removes a row calls these in its transaction, after the row, so that
 * counts are locked in the order of db/queries/comments.ts.
 */

type Change = 1 | -1

/** A like of a token was added or removed. */
export async function countTokenLike(trx: Transaction<Database>, tokenId: number, change: Change): Promise<void> {
  await sql`
    insert into token_counts as c (token_id, likes) values (${tokenId}, ${Math.max(change, 0)})
    on conflict (token_id) do update set likes = c.likes + ${change}::integer`.execute(trx)
}

/** A token was put on a watchlist, or taken from it. */
export async function countWatcher(trx: Transaction<Database>, tokenId: number, change: Change): Promise<void> {
  await sql`
    insert into token_counts as c (token_id, watchers) values (${tokenId}, ${Math.max(change, 0)})
    on conflict (token_id) do update set watchers = c.watchers + ${change}::integer`.execute(trx)
}

interface CountedComment {
  token_id: number
  parent_id: number | null
}

/** Comments have become visible, or are not visible any more. Locks the counts of tokens in their order. */
export async function countComments(
  trx: Transaction<Database>,
  comments: readonly CountedComment[],
  change: Change,
): Promise<void> {
  if (comments.length === 0) return
  const parents = comments.filter(({ parent_id }) => parent_id !== null)
  await sql`
    update comments c set reply_count = c.reply_count + ${change}::integer * k.replies
    from (
      select token_id, id, count(*) as replies from unnest(${parents.map(({ token_id }) => token_id)}::integer[],
        ${parents.map(({ parent_id }) => parent_id)}::bigint[]) as r (token_id, id) group by token_id, id
    ) k
    where c.token_id = k.token_id and c.id = k.id`.execute(trx)
  const tokenIds = comments.map(({ token_id }) => token_id)
  await sql`
    insert into token_counts as c (token_id, comments)
    select token_id, count(*) from unnest(${tokenIds}::integer[]) as token_id group by token_id order by token_id
    on conflict (token_id) do update set comments = c.comments ${sql.raw(change === 1 ? '+' : '-')} excluded.comments`.execute(
    trx,
  )
}

/** A like of a comment was added or removed. */
export async function countCommentLike(
  trx: Transaction<Database>,
  { id, token_id }: { id: number; token_id: number },
  change: Change,
): Promise<void> {
  await sql`update comments set like_count = like_count + ${change}::integer where token_id = ${token_id} and id = ${id}`.execute(
    trx,
  )
}

/** A follow was added or removed. */
export async function countFollow(
  trx: Transaction<Database>,
  { follower, followee }: { follower: string; followee: string },
  change: Change,
): Promise<void> {
  // In the order of their addresses: two wallets that follow each other at once cannot deadlock.
  for (const wallet of [follower, followee].sort()) {
    const column = sql.ref(wallet === follower ? 'following' : 'followers')
    await sql`
      insert into follow_counts as c (wallet, ${column}) values (${wallet}, ${Math.max(change, 0)})
      on conflict (wallet) do update set ${column} = c.${column} + ${change}::integer`.execute(trx)
  }
}
