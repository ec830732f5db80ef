import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../schema.ts'
import { joinAuthor } from './profiles.ts'
import { isOfLaunch } from './tokens.ts'

/** All that wallets are told of, under the names that the API lists; see schemas/social.ts. */
export type NotificationType =
  | 'comment'
  | 'reply'
  | 'comment_like'
  | 'token_like'
  | 'follow'
  | 'trade_on_my_token'
  | 'followed_creator_launched'
  | 'graduated'
  | 'reward_funded'
  | 'raise_opened'
  | 'raise_finalized'
  | 'raise_failed'
  | 'raise_cancelled'
  | 'raise_dissolved'
  | 'raise_proposal_opened'
  | 'raise_proposal_executed'
  | 'ambassador_approved'
  | 'ambassador_rejected'

/** Something to tell a wallet. subject: a token, a wallet, or the id of what it is about, by type. */
export interface NotificationDraft {
  recipient: string
  type: NotificationType
  actor: string | null
  subject: string
  /** The comment that it tells of: the notice goes when the comment does. */
  commentId?: number
  payload?: Record<string, unknown>
}

/**
 * Tells a wallet, in the transaction of what it is told of. Nobody is told of their own doing. Answers the id of what is new,
 * which the caller announces with what else it has to announce.
 */
export async function addNotification(trx: Transaction<Database>, notice: NotificationDraft): Promise<number[]> {
  const { recipient, type, actor, subject, commentId = null, payload = {} } = notice
  if (recipient === actor) return []
  const added = await trx
    .insertInto('notifications')
    .values({ recipient, type, actor, subject, comment_id: commentId, payload: JSON.stringify(payload) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return added.map(({ id }) => id)
}

/** Takes back what was told of something that is no more. One that was read stays: it keeps the next one from repeating it. */
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
}

export interface NotificationQuery {
  recipient: string
  unread: boolean
  limit: number
  /** The id of the last one answered. */
  after: number | null
}

/** What a wallet was told, the newest first. */
export async function listNotifications(db: Kysely<Database>, args: NotificationQuery): Promise<NotificationRow[]> {
  const { rows } = await buildNotificationList(args).execute(db)
  return rows
}

/**
 * What has become of a comment or a wallet since is asked as it is read: a ban or a deletion need not look for notices.
 * Values and not `exists`, which the planner may answer by reading all profiles once.
 */
const isShown = sql`(n.comment_id is null or (select c.visible and ${isOfLaunch('c')} from comments c where c.id = n.comment_id))
  and (n.creation is null or n.creation = (select o.creation from tokens o where o.address = n.subject))
  and (n.block_number is not null or (select b.banned_at from profiles b where b.wallet = n.actor) is null)`

/** The statement of listNotifications, apart so that its plan can be tested. */
export function buildNotificationList(args: NotificationQuery): RawBuilder<NotificationRow> {
  const { recipient, unread, limit, after } = args
  return selectNotifications(sql`(
      select * from notifications n
      where recipient = ${recipient} ${unread ? sql`and read_at is null` : sql``}
        ${after === null ? sql`` : sql`and id < ${after}`} and ${isShown}
      order by id desc limit ${limit}
    )`)
}

/** These notifications, newest first, as far as they are to be seen. */
export async function findNotifications(db: Kysely<Database>, ids: readonly number[]): Promise<NotificationRow[]> {
  if (ids.length === 0) return []
  const source = sql`(select * from notifications n where id = any(${ids}::bigint[]) and ${isShown})`
  const { rows } = await selectNotifications(source).execute(db)
  return rows
}

const selectNotifications = (source: RawBuilder<unknown>) => sql<NotificationRow>`
    select n.id, n.recipient, n.type, n.actor, p.username, p.avatar_url, n.subject, n.payload, n.created_at, n.read_at,
      c.body as comment_text, c.parent_id as comment_parent, t.address as token, t.name as token_name,
      t.symbol as token_symbol, m.image_url as token_image
    from ${source} n
    ${joinAuthor('n.actor')}
    left join lateral (select token, body, parent_id from comments where id = n.comment_id limit 1) c on true
    left join lateral (
      select address, name, symbol, creation from tokens where address = coalesce(c.token, n.subject) limit 1
    ) t on true
    left join token_metadata m on m.token = t.address and m.creation = t.creation
    order by n.id desc`

/** A count beyond this is of no use to anybody, and would be counted again with each request. */
const MAX_UNREAD = 1_000

/** How many notifications a wallet has not read, up to MAX_UNREAD. */
export async function countUnread(db: Kysely<Database>, recipient: string): Promise<number> {
  const { rows } = await sql<{ unread: number }>`
    select count(*) as unread from (
      select from notifications n where recipient = ${recipient} and read_at is null and ${isShown} limit ${MAX_UNREAD}
    ) u`.execute(db)
  return rows[0]?.unread ?? 0
}

/** Marks some of a wallet's notifications as read, or all; says how many were unread. Those of others are passed over. */
export async function markRead(
  db: Kysely<Database>,
  { recipient, ids }: { recipient: string; ids: readonly number[] | 'all' },
): Promise<number> {
  const chosen = ids === 'all' ? sql`true` : sql`id = any(${ids}::bigint[])`
  const { numAffectedRows } = await sql`
    update notifications set read_at = now()
    where recipient = ${recipient} and read_at is null and ${chosen}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
