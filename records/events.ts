import type { CommentRow } from '../db/queries/comments.ts'
import type { NotificationRow } from '../db/queries/notifications.ts'
import type { NewEvent } from '../db/queries/outbox.ts'
import type { TokenRow } from '../db/queries/tokens.ts'
import { channels } from './channels.ts'
import { toComment } from './to-comment.ts'
import { toNotification } from './to-notification.ts'
import { toToken } from './to-token.ts'

/** An event with its record as it is now: whoever hears it, or reads it later, hears the same. */
export const toEvent = (type: string, into: readonly string[], record: object): NewEvent => ({
  rooms: into,
  type,
  data: JSON.stringify(record),
})

/** An event is the same for everybody: what depends on who asks is null in it. */
const ANONYMOUS = null

export const toTokenRecord = (row: TokenRow, chainId: number) => toToken(row, { chainId, liked: ANONYMOUS })

export const toTokenUpdate = (row: TokenRow, chainId: number) =>
  toEvent('token.updated', [channels.token(row.address)], toTokenRecord(row, chainId))

/** What is said of a hidden token is heard by those who listen to that token, and by nobody else. */
export const toCommentEvent = (row: CommentRow, { hidden }: { hidden: boolean }) =>
  toEvent('comment', [channels.token(row.token), ...(hidden ? [] : [channels.feed])], toComment(row, ANONYMOUS))

export const toCommentRemoval = ({ id, token }: { id: string; token: string }, { hidden }: { hidden: boolean }) =>
  toEvent('comment.removed', [channels.token(token), ...(hidden ? [] : [channels.feed])], { id, token })

export const toNotificationEvent = (row: NotificationRow) =>
  toEvent('notification', [channels.wallet(row.recipient)], toNotification(row))
