import { type Kysely, sql, type Transaction } from 'kysely'
import { bytes, toBytes } from '../hex.ts'
import type { Database } from '../schema.ts'
import { getComment } from './comments.ts'
import { countCommentLike, countTokenLike } from './counts.ts'
import { addNotification, dropNotification, type NotificationDraft } from './notifications.ts'
import { enterAsWriter } from './profiles.ts'
import { getLaunch, isOfLaunch } from './tokens.ts'

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
  const { creator, creation } = await getLaunch(trx, token)
  const made = await trx
    .insertInto('token_likes')
    .values({ token, creation: toBytes(creation), wallet })
    .onConflict((conflict) => conflict.doNothing())
    .returning('wallet')
    .executeTakeFirst()
  if (made) await countTokenLike(trx, { token, creation }, 1)
  const notices = await addNotification(trx, { recipient: creator, type: 'token_like', actor: wallet, subject: token })
  return { ...(await readTokenLike(trx, { token, wallet })), notices }
}

export async function unlikeToken(trx: Transaction<Database>, { token, wallet }: TokenLike): Promise<LikeState> {
  await enterAsWriter(trx, wallet)
  const { creator, creation } = await getLaunch(trx, token)
  const { numAffectedRows = 0n } = await sql`
    delete from token_likes where token = ${token} and creation = ${bytes(creation)} and wallet = ${wallet}`.execute(
    trx,
  )
  if (numAffectedRows > 0n) await countTokenLike(trx, { token, creation }, -1)
  await dropNotification(trx, { recipient: creator, type: 'token_like', actor: wallet, subject: token })
  return readTokenLike(trx, { token, wallet })
}

async function readTokenLike(db: Kysely<Database>, { token, wallet }: TokenLike): Promise<LikeState> {
  const { rows } = await sql<LikeState>`
    select (select created_at from token_likes l where token = ${token} and wallet = ${wallet} and ${isOfLaunch('l')}) as created_at,
      coalesce((select likes from token_counts k where token = ${token} and ${isOfLaunch('k')}), 0) as like_count`.execute(
    db,
  )
  return rows[0] as LikeState
}

interface CommentLike {
  id: number
  wallet: string
}

/** Likes a comment, and notifies its author. Throws RESOURCE_NOT_FOUND. */
export async function likeComment(trx: Transaction<Database>, { id, wallet }: CommentLike): Promise<NewLike> {
  await enterAsWriter(trx, wallet)
  const { author } = await getComment(trx, id)
  const made = await trx
    .insertInto('comment_likes')
    .values({ comment_id: id, wallet })
    .onConflict((conflict) => conflict.doNothing())
    .returning('wallet')
    .executeTakeFirst()
  if (made) await countCommentLike(trx, id, 1)
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
  const { author } = await getComment(trx, id)
  const { numDeletedRows } = await trx
    .deleteFrom('comment_likes')
    .where('comment_id', '=', id)
    .where('wallet', '=', wallet)
    .executeTakeFirstOrThrow()
  if (numDeletedRows > 0n) await countCommentLike(trx, id, -1)
  await dropNotification(trx, { recipient: author, type: 'comment_like', actor: wallet, subject: String(id) })
  return readCommentLike(trx, { id, wallet })
}

async function readCommentLike(db: Kysely<Database>, { id, wallet }: CommentLike): Promise<LikeState> {
  const { rows } = await sql<LikeState>`
    select (select created_at from comment_likes where comment_id = ${id} and wallet = ${wallet}) as created_at,
      (select like_count from comments where id = ${id}) as like_count`.execute(db)
  return rows[0] as LikeState
}

/** Which of these tokens a wallet likes. */
export async function findLikedTokens(
  db: Kysely<Database>,
  { wallet, tokens }: { wallet: string; tokens: readonly string[] },
): Promise<Set<string>> {
  if (tokens.length === 0) return new Set()
  const rows = await db
    .selectFrom('token_likes')
    .select('token')
    .where('wallet', '=', wallet)
    .where('token', 'in', [...tokens])
    .where(isOfLaunch('token_likes'))
    .execute()
  return new Set(rows.map(({ token }) => token))
}
