import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { AppError, define, defineReasons } from '../../errors.ts'
import type { Database } from '../schema.ts'
import { countFollow } from './counts.ts'
import { addNotification, dropNotification } from './notifications.ts'
import { type AuthorColumns, enterAsWriter, joinAuthor } from './profiles.ts'

/** The feed of a wallet reads each wallet that it follows, so their number is limited. */
export const MAX_FOLLOWING = 1_000

export const followReasons = defineReasons({
  SELF_FOLLOW: define(409, 'A wallet cannot follow itself'),
  FOLLOW_LIMIT: define(409, (d: { maximum: number }) => `A wallet follows at most ${d.maximum} others`, {
    maximum: MAX_FOLLOWING,
  }),
})

/** The result of a follow or unfollow: since when, and the wallet's number of followers. */
export interface FollowState {
  created_at: Date | null
  follower_count: number
}

export interface NewFollow extends FollowState {
  /** Ids of its notifications. */
  notices: number[]
}

type Pair = { follower: string; followee: string }

/** Follows a wallet, and notifies it. Idempotent. Throws SELF_FOLLOW, FOLLOW_LIMIT. */
export async function follow(trx: Transaction<Database>, { follower, followee }: Pair): Promise<NewFollow> {
  if (follower === followee) throw new AppError(followReasons.SELF_FOLLOW)
  await enterAsWriter(trx, follower)
  const made = await trx
    .insertInto('follows')
    .values({ follower, followee })
    .onConflict((conflict) => conflict.doNothing())
    .returning('follower')
    .executeTakeFirst()
  if (made) await countFollow(trx, { follower, followee }, 1)
  // The count is locked now, which serializes the follows of a wallet.
  if (made && (await countFollowing(trx, follower)) > MAX_FOLLOWING)
    throw new AppError(followReasons.FOLLOW_LIMIT, { maximum: MAX_FOLLOWING })
  const notices = await addNotification(trx, {
    recipient: followee,
    type: 'follow',
    actor: follower,
    subject: followee,
  })
  return { ...(await readFollow(trx, { follower, followee })), notices }
}

async function countFollowing(trx: Transaction<Database>, wallet: string): Promise<number> {
  const row = await trx.selectFrom('follow_counts').select('following').where('wallet', '=', wallet).executeTakeFirst()
  return row?.following ?? 0
}

export async function unfollow(trx: Transaction<Database>, { follower, followee }: Pair): Promise<FollowState> {
  await enterAsWriter(trx, follower)
  const { numDeletedRows } = await trx
    .deleteFrom('follows')
    .where('follower', '=', follower)
    .where('followee', '=', followee)
    .executeTakeFirstOrThrow()
  if (numDeletedRows > 0n) await countFollow(trx, { follower, followee }, -1)
  await dropNotification(trx, { recipient: followee, type: 'follow', actor: follower, subject: followee })
  return readFollow(trx, { follower, followee })
}

async function readFollow(db: Kysely<Database>, { follower, followee }: Pair): Promise<FollowState> {
  const { rows } = await sql<FollowState>`
    select (select created_at from follows where follower = ${follower} and followee = ${followee}) as created_at,
      coalesce((select followers from follow_counts where wallet = ${followee}), 0) as follower_count`.execute(db)
  return rows[0] as FollowState
}

/** Milliseconds and wallet of the last row of the previous page. */
export type FollowKeyset = readonly [milliseconds: number, wallet: string]

export interface FollowRow extends AuthorColumns {
  wallet: string
  created_at: Date
  follower_count: number
}

export interface FollowQuery {
  wallet: string
  direction: 'followers' | 'following'
  limit: number
  after: FollowKeyset | null
}

/** The followers of a wallet, or the wallets that it follows, newest first. */
export async function listFollows(db: Kysely<Database>, args: FollowQuery): Promise<FollowRow[]> {
  const { rows } = await buildFollowList(args).execute(db)
  return rows
}

/** The statement of listFollows, exported to test its plan. */
export function buildFollowList({ wallet, direction, limit, after }: FollowQuery): RawBuilder<FollowRow> {
  const [own, other] = direction === 'followers' ? ['followee', 'follower'] : ['follower', 'followee']
  const past = after
    ? sql`(created_at, ${sql.ref(other as string)}) < (${new Date(after[0])}::timestamptz, ${after[1]})`
    : sql`true`
  return sql<FollowRow>`
    select e.wallet, e.created_at, p.username, p.avatar_url,
      coalesce((select followers from follow_counts where wallet = e.wallet), 0) as follower_count
    from (
      select ${sql.ref(other as string)} as wallet, created_at from follows
      where ${sql.ref(own as string)} = ${wallet} and ${past}
      order by created_at desc, ${sql.ref(other as string)} desc limit ${limit}
    ) e
    ${joinAuthor('e.wallet')}
    order by e.created_at desc, e.wallet desc`
}
