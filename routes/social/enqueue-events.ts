import type { Transaction } from 'kysely'
import { type CommentRow, listCommentsSince } from '../../db/queries/comments.ts'
import { findNotifications, listNotified } from '../../db/queries/notifications.ts'
import { deleteCommentEvents, enqueueEvents, findOldestEventTime, type NewEvent } from '../../db/queries/outbox.ts'
import { findHidden } from '../../db/queries/token-marks.ts'
import type { Database } from '../../db/schema.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { channels } from '../../records/channels.ts'
import { toEvent, toNotificationEvent } from '../../records/events.ts'
import { toComment } from '../../records/to-comment.ts'

/** All subscribers receive the same record, without the data of a wallet. */
const ANONYMOUS = null

/** The cache tags that a change of a comment changes: its token counts it. */
export const changeOfComment = ({ token }: { token: string }): string[] => [cacheTagOf(token), 'market', 'social']

// Call each of these last in its transaction: see enqueueEvents.

/** Enqueues notifications for their wallets, by notification id. */
export async function enqueueNotifications(trx: Transaction<Database>, ids: readonly number[]): Promise<void> {
  await enqueueEvents(trx, await buildNotificationEvents(trx, ids))
}

/** Enqueues a new comment, and its notifications. */
export async function enqueueComment(
  trx: Transaction<Database>,
  comment: CommentRow,
  notices: readonly number[] = [],
): Promise<void> {
  const channelsOf = await readChannels(trx, [comment])
  const event = toEvent('comment', channelsOf(comment), toComment(comment, ANONYMOUS))
  await enqueueEvents(trx, [event, ...(await buildNotificationEvents(trx, notices))])
}

/** Enqueues the removal of a comment, and deletes the events that have its text. */
export async function enqueueCommentRemoval(
  trx: Transaction<Database>,
  comment: { id: string; token: string },
): Promise<void> {
  await deleteTexts(trx, [comment])
  await enqueueEvents(trx, await buildRemovals(trx, [comment]))
}

/** Does the same for the comments of a wallet that a replay would return. */
export async function enqueueRemovalsOf(trx: Transaction<Database>, author: string): Promise<void> {
  const since = await findOldestEventTime(trx)
  if (!since) return
  const comments = await listCommentsSince(trx, author, since)
  const removed = await deleteTexts(trx, comments)
  const known = comments.filter(({ id }) => removed.has(id))
  await enqueueEvents(trx, await buildRemovals(trx, known))
}

/** Deletes the events with the texts of comments; returns the ids of those whose own event was stored. */
async function deleteTexts(trx: Transaction<Database>, comments: readonly { id: string; token: string }[]) {
  const ids = comments.map(({ id }) => id)
  const wallets = await listNotified(trx, ids)
  const named = [...comments.map(({ token }) => channels.token(token)), ...wallets.map(channels.wallet)]
  return deleteCommentEvents(trx, { ids, channels: named })
}

async function buildRemovals(trx: Transaction<Database>, comments: readonly { id: string; token: string }[]) {
  const channelsOf = await readChannels(trx, comments)
  return comments.map(({ id, token }) => toEvent('comment.removed', channelsOf({ token }), { id, token }))
}

/** Comments on a hidden token go to its own channel only, not to the feed. */
async function readChannels(trx: Transaction<Database>, comments: readonly { token: string }[]) {
  const hidden = await findHidden(
    trx,
    comments.map(({ token }) => token),
  )
  return ({ token }: { token: string }): string[] => [
    channels.token(token),
    ...(hidden.has(token) ? [] : [channels.feed]),
  ]
}

async function buildNotificationEvents(trx: Transaction<Database>, ids: readonly number[]): Promise<NewEvent[]> {
  return (await findNotifications(trx, ids)).reverse().map(toNotificationEvent)
}
