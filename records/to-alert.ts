import type { Static } from '@sinclair/typebox'
import type { AlertRow } from '../db/queries/alerts.ts'
import type { Alert } from '../schemas/alerts.ts'
import { toAuthor } from './to-author.ts'
import { toTokenLabel } from './to-token-label.ts'

type AlertRecord = Static<typeof Alert>

/** An alert as the API serves it to its wallet. */
export function toAlert(row: AlertRow): AlertRecord {
  const { measure } = row
  const isPrice = measure === 'price' || measure === 'price_usd'
  const isChange = measure !== null && !isPrice && measure !== 'graduation'
  return {
    id: String(row.id),
    type: measure === null ? 'trade' : isPrice ? 'price' : isChange ? 'price_change' : 'graduation',
    token: toTokenLabel(row),
    wallet: row.trader === null ? null : toAuthor(row.trader, row),
    metric: row.metric as AlertRecord['metric'],
    window: isChange ? measure : null,
    direction: isPrice || isChange ? row.direction : null,
    value: row.value,
    createdAt: row.created_at.toISOString(),
    triggeredAt: row.triggered_at?.toISOString() ?? null,
  }
}
