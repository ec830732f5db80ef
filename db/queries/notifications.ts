import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../schema.ts'
import { addressOf } from '../token-ids.ts'
import { joinAuthor } from './profiles.ts'
import { type QuoteAssetRow, quoteOf } from './quote-assets.ts'
import { isOfLaunch } from './tokens.ts'

/** The types of notifications, as the API names them; see schemas/social.ts. */
export type NotificationType =
  | 'comment'
  | 'reply'
  | 'comment_like'
  | 'token_like'
  | 'follow'
  | 'trade_on_my_token'
  | 'followed_creator_launched'
  | 'graduated'
  | 'price_alert'
  | 'graduation_alert'
  | 'trade_alert'
  | 'reward_funded'
  | 'raise_opened'
  | 'raise_finalized'
  | 'raise_failed'
  | 'raise_cancelled'
  | 'raise_dissolved'
  | 'raise_proposal_opened'
  | 'raise_proposal_passed'
  | 'raise_proposal_executed'
  | 'ambassador_approved'
  | 'ambassador_rejected'

/** A notification to insert. subject: a token, a wallet or an id, by type. */
export interface NotificationDraft {
  recipient: string
  type: NotificationType
  actor: string | null
  subject: string
  /** The comment concerned: the notification is deleted with it. */
  commentId?: number
  /** The number of the liked token: of another launch at its address a new like notifies again. */
  tokenId?: number
  payload?: Record<string, unknown>
}

/**
 * Inserts a notification in the transaction of its cause; nobody is notified of their own actions. Returns the ids of
 * new rows, for the caller's live events.
 */
export async function addNotification(trx: Transaction<Database>, notice: NotificationDraft): Promise<number[]> {
  const { recipient, type, actor, subject, commentId = null, tokenId = null, payload = {} } = notice
  if (recipient === actor) return []
  const added = await trx
    .insertInto('notifications')
    .values({
      recipient,
      type,
      actor,
      subject,
      token_id: tokenId,
      comment_id: commentId,
      payload: JSON.stringify(payload),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return added.map(({ id }) => id)
}

/** Deletes an unread notification whose cause was removed. A read one stays, so that the cause cannot notify twice. */
export async function dropNotification(
  trx: Transaction<Database>,
  { recipient, type, actor, subject }: NotificationDraft & { actor: string },
): Promise<void> {
  await trx
    .deleteFrom('notifications')
    .where('recipient', '=', recipient)
    .where('type', '=', type)
    .where('subject', '=', subject)
    .where('actor', '=', actor)
    .where('read_at', 'is', null)
    .execute()
}

export interface NotificationRow {
  id: number
  recipient: string
  type: NotificationType
  actor: string | null
  username: string | null
  avatar_url: string | null
  subject: string
  payload: Record<string, unknown>
  created_at: Date
  read_at: Date | null
  comment_text: string | null
  comment_parent: number | null
  token: string | null
  token_name: string | null
  token_symbol: string | null
  token_image: string | null
  token_decimals: number | null
  /** The quote asset of the token; null: the native coin. */
  token_quote: QuoteAssetRow | null
}

export interface NotificationQuery {
  recipient: string
  unread: boolean
  limit: number
  /** The id of the last row of the previous page. */
  after: number | null
}

/** A wallet's notifications, newest first. */
export async function listNotifications(db: Kysely<Database>, args: NotificationQuery): Promise<NotificationRow[]> {
  const { rows } = await buildNotificationList(args).execute(db)
  return rows
}

/**
 * Visibility is checked on read, so that a ban or a deletion need not update notifications. Subqueries with values
 * instead of `exists`, for which the planner may scan all profiles.
 */
const isShown = sql`(n.comment_id is null or (select c.visible and ${isOfLaunch('c')} from comments c where c.id = n.comment_id))
  and (n.token_id is null or ${isOfLaunch('n')})
  and (n.block_number is not null or (select b.banned_at from profiles b where b.wallet = n.actor) is null)`

/** The statement of listNotifications, exported to test its plan. */
export function buildNotificationList(args: NotificationQuery): RawBuilder<NotificationRow> {
  const { recipient, unread, limit, after } = args
  return selectNotifications(sql`(
      select * from notifications n
      where recipient = ${recipient} ${unread ? sql`and read_at is null` : sql``}
        ${after === null ? sql`` : sql`and id < ${after}`} and ${isShown}
      order by id desc limit ${limit}
    )`)
}

/** The visible ones of these notifications, newest first. */
export async function findNotifications(db: Kysely<Database>, ids: readonly number[]): Promise<NotificationRow[]> {
  if (ids.length === 0) return []
  const source = sql`(select * from notifications n where id = any(${ids}::bigint[]) and ${isShown})`
  const { rows } = await selectNotifications(source).execute(db)
  return rows
}

/** The wallets whose notifications have the texts of these comments. That of a like may be deleted, but not its live event. */
export async function listNotified(db: Kysely<Database>, comments: readonly string[]): Promise<string[]> {
  const { rows } = await buildNotified(comments).execute(db)
  return rows.map(({ wallet }) => wallet)
}

/** The statement of listNotified, exported to test its plan. */
export const buildNotified = (comments: readonly string[]): RawBuilder<{ wallet: string }> => sql<{ wallet: string }>`
  select recipient as wallet from notifications where comment_id = any(${comments}::bigint[])
  union select author from comments where id = any(${comments}::bigint[])`

const selectNotifications = (source: RawBuilder<unknown>) => sql<NotificationRow>`
    select n.id, n.recipient, n.type, n.actor, p.username, p.avatar_url, n.subject, n.payload, n.created_at, n.read_at,
      c.body as comment_text, c.parent_id as comment_parent, t.address as token, t.name as token_name,
      t.symbol as token_symbol, t.quote as token_quote, m.image_url as token_image, t.decimals as token_decimals
    from ${source} n
    ${joinAuthor('n.actor')}
    left join lateral (select ${addressOf('comments')} as token, body, parent_id from comments where id = n.comment_id limit 1) c on true
    left join lateral (
      select id, address, name, symbol, decimals, ${quoteOf('tokens.quote_token')} as quote from tokens
      where address = coalesce(c.token, n.subject) limit 1
    ) t on true
    left join token_metadata m on m.token_id = t.id
    order by n.id desc`

/** The count stops here, because it runs with each request. */
const MAX_UNREAD = 1_000

/** The number of unread notifications, up to MAX_UNREAD. */
export async function countUnread(db: Kysely<Database>, recipient: string): Promise<number> {
  const { rows } = await sql<{ unread: number }>`
    select count(*) as unread from (
      select from notifications n where recipient = ${recipient} and read_at is null and ${isShown} limit ${MAX_UNREAD}
    ) u`.execute(db)
  return rows[0]?.unread ?? 0
}

/**
 * Marks some or all of a wallet's notifications as read; returns how many were unread. Those of other wallets are
 * ignored.
 */
export async function markRead(
  db: Kysely<Database>,
  { recipient, ids }: { recipient: string; ids: readonly number[] | 'all' },
): Promise<number> {
  const chosen = ids === 'all' ? sql`true` : sql`id = any(${ids}::bigint[])`
  // Locked by id: see the lock order in comments.ts.
  const { numAffectedRows } = await sql`
    update notifications set read_at = now() where id = any(array(
      select id from notifications where recipient = ${recipient} and read_at is null and ${chosen} order by id for no key update
    ))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
