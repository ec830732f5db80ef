import type { NotificationRow } from '../db/queries/notifications.ts'
import type { NewEvent } from '../db/queries/outbox.ts'
import type { TokenRow } from '../db/queries/tokens.ts'
import { channels } from './channels.ts'
import { toNotification } from './to-notification.ts'
import { toToken } from './to-token.ts'

/** An event with the record as it is now, so that live delivery and replay are identical. */
export const toEvent = (type: string, into: readonly string[], record: object): NewEvent => ({
  rooms: into,
  type,
  data: JSON.stringify(record),
})

/** All subscribers receive the same event: fields that depend on the viewer are null. */
const ANONYMOUS = null

export const toTokenRecord = (row: TokenRow, chainId: number) => toToken(row, { chainId, marks: ANONYMOUS })

export const toTokenUpdate = (row: TokenRow, chainId: number) =>
  toEvent('token.updated', [channels.token(row.address)], toTokenRecord(row, chainId))

export const toNotificationEvent = (row: NotificationRow) =>
  toEvent('notification', [channels.wallet(row.recipient)], toNotification(row))
