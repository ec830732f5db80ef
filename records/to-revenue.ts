import type { Static } from '@sinclair/typebox'
import type { RevenueRow, RevenueTotalRow } from '../db/queries/portfolio/revenue.ts'
import type { Revenue, RevenueTotal } from '../schemas/revenue.ts'
import { toQuote } from './quote.ts'

/** The creator fees of a token in its quote asset. */
export function toRevenue(row: RevenueRow): Static<typeof Revenue> {
  const { claimed, unclaimed } = row
  const earned = claimed === null || unclaimed === null ? null : (BigInt(claimed) + BigInt(unclaimed)).toString()
  return { asset: toQuote(row), earned, claimed, unclaimed }
}

/** The creator fees of all tokens of a wallet in a quote asset. */
export const toRevenueTotal = (row: RevenueTotalRow): Static<typeof RevenueTotal> => ({
  ...toRevenue(row),
  unknownTokens: row.unknown_tokens,
})
