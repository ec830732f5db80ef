import type { Static } from '@sinclair/typebox'
import type { NotificationRow } from '../db/queries/notifications.ts'
import type { Notification } from '../schemas/social.ts'
import { toQuote } from './quote.ts'
import { toAuthor } from './to-author.ts'
import { toTokenLabel } from './to-token-label.ts'

/** A notification as the API serves it to its recipient. */
export function toNotification(row: NotificationRow): Static<typeof Notification> {
  const { payload, token_quote: quote, comment_parent: parent } = row
  const ofQuote = quote && 'quoteAmount' in payload && { quote: toQuote({ quote, native_symbol: '' }) }
  const ofComment = { text: row.comment_text, parentId: parent === null ? null : String(parent) }
  return {
    id: String(row.id),
    type: row.type,
    actor: row.actor === null ? null : toAuthor(row.actor, row),
    subject: row.subject,
    token: toTokenLabel(row),
    payload: row.comment_text === null ? { ...payload, ...ofQuote } : { ...payload, ...ofComment },
    readAt: row.read_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  }
}
