import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../schema.ts'
import { tokenId } from '../token-ids.ts'
import { getComment } from './comments.ts'
import { countCommentLike, countTokenLike } from './counts.ts'
import { getLaunch } from './launches.ts'
import { addNotification, dropNotification, type NotificationDraft } from './notifications.ts'
import { enterAsWriter } from './profiles.ts'

/** The result of a like or unlike: since when, and the number of likes. */
export interface LikeState {
  created_at: Date | null
  like_count: number
}

export interface NewLike extends LikeState {
  /** Ids of its notifications. */
  notices: number[]
}

interface TokenLike {
  token: string
  wallet: string
}

/** Likes a token, and notifies its creator. Idempotent. Throws TOKEN_NOT_FOUND. */
export async function likeToken(trx: Transaction<Database>, { token, wallet }: TokenLike): Promise<NewLike> {
  await enterAsWriter(trx, wallet)
  const { creator, id } = await getLaunch(trx, token)
  const made = await trx
    .insertInto('token_likes')
    .values({ token_id: id, wallet })
    .onConflict((conflict) => conflict.doNothing())
    .returning('wallet')
    .executeTakeFirst()
  if (made) await countTokenLike(trx, id, 1)
  const notices = await addNotification(trx, {
    recipient: creator,
    type: 'token_like',
    actor: wallet,
    subject: token,
    tokenId: id,
  })
  return { ...(await readTokenLike(trx, { token, wallet })), notices }
}

export async function unlikeToken(trx: Transaction<Database>, { token, wallet }: TokenLike): Promise<LikeState> {
  await enterAsWriter(trx, wallet)
  const { creator, id } = await getLaunch(trx, token)
  const { numDeletedRows } = await trx
    .deleteFrom('token_likes')
    .where('token_id', '=', id)
    .where('wallet', '=', wallet)
    .executeTakeFirstOrThrow()
  if (numDeletedRows > 0n) await countTokenLike(trx, id, -1)
  await dropNotification(trx, { recipient: creator, type: 'token_like', actor: wallet, subject: token })
  return readTokenLike(trx, { token, wallet })
}

async function readTokenLike(db: Kysely<Database>, { token, wallet }: TokenLike): Promise<LikeState> {
  const { rows } = await sql<LikeState>`
    select (select created_at from token_likes where token_id = ${tokenId(token)} and wallet = ${wallet}) as created_at,
      coalesce((select likes from token_counts where token_id = ${tokenId(token)}), 0) as like_count`.execute(db)
  return rows[0] as LikeState
}

interface CommentLike {
  id: number
  wallet: string
}

/** Likes a comment, and notifies its author. Throws RESOURCE_NOT_FOUND. */
export async function likeComment(trx: Transaction<Database>, { id, wallet }: CommentLike): Promise<NewLike> {
  await enterAsWriter(trx, wallet)
  const { author, token_id } = await getComment(trx, id)
  const made = await trx
    .insertInto('comment_likes')
    .values({ token_id, comment_id: id, wallet })
    .onConflict((conflict) => conflict.doNothing())
    .returning('wallet')
    .executeTakeFirst()
  if (made) await countCommentLike(trx, { id, token_id }, 1)
  const notice: NotificationDraft = {
    recipient: author,
    type: 'comment_like',
    actor: wallet,
    subject: String(id),
    commentId: id,
  }
  const notices = await addNotification(trx, notice)
  return { ...(await readCommentLike(trx, { id, wallet })), notices }
}

export async function unlikeComment(trx: Transaction<Database>, { id, wallet }: CommentLike): Promise<LikeState> {
  await enterAsWriter(trx, wallet)
  const { author, token_id } = await getComment(trx, id)
  const { numDeletedRows } = await trx
    .deleteFrom('comment_likes')
    .where('token_id', '=', token_id)
    .where('comment_id', '=', id)
    .where('wallet', '=', wallet)
    .executeTakeFirstOrThrow()
  if (numDeletedRows > 0n) await countCommentLike(trx, { id, token_id }, -1)
  await dropNotification(trx, { recipient: author, type: 'comment_like', actor: wallet, subject: String(id) })
  return readCommentLike(trx, { id, wallet })
}

async function readCommentLike(db: Kysely<Database>, { id, wallet }: CommentLike): Promise<LikeState> {
  const { rows } = await sql<LikeState>`
    select c.like_count, (
      select created_at from comment_likes where token_id = c.token_id and comment_id = c.id and wallet = ${wallet}
    ) as created_at
    from comments c where id = ${id}`.execute(db)
  return rows[0] as LikeState
}
