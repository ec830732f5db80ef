import type { Transaction } from 'kysely'
import type { CommentRow } from '../../db/queries/comments.ts'
import { findNotifications } from '../../db/queries/notifications.ts'
import { enqueueEvents, type NewEvent } from '../../db/queries/outbox.ts'
import type { Database } from '../../db/schema.ts'
import { toCommentEvent, toCommentRemoval, toNotificationEvent } from '../../records/events.ts'

// Call each of these last in its transaction: see enqueueEvents.

/** Enqueues notifications for their wallets, by notification id. */
export async function enqueueNotifications(trx: Transaction<Database>, ids: readonly number[]): Promise<void> {
  await enqueueEvents(trx, await buildNotificationEvents(trx, ids))
}

/** Enqueues a new or unhidden comment, and its notifications. */
export async function enqueueComment(
  trx: Transaction<Database>,
  comment: CommentRow,
  notices: readonly number[] = [],
): Promise<void> {
  const event = toCommentEvent(comment, { hidden: await isHidden(trx, comment) })
  await enqueueEvents(trx, [event, ...(await buildNotificationEvents(trx, notices))])
}

/** Enqueues the removal of a comment. */
export async function enqueueCommentRemoval(
  trx: Transaction<Database>,
  comment: { id: string; token: string },
): Promise<void> {
  await enqueueEvents(trx, [toCommentRemoval(comment, { hidden: await isHidden(trx, comment) })])
}

async function isHidden(trx: Transaction<Database>, { token }: { token: string }): Promise<boolean> {
  const figures = await trx.selectFrom('token_figures').select('hidden').where('token', '=', token).executeTakeFirst()
  return figures?.hidden ?? false
}

async function buildNotificationEvents(trx: Transaction<Database>, ids: readonly number[]): Promise<NewEvent[]> {
  return (await findNotifications(trx, ids)).reverse().map(toNotificationEvent)
}
