import type { Static } from '@sinclair/typebox'
import { subtract } from '../chain/amounts.ts'
import type { CreationRow } from '../db/queries/portfolio.ts'
import type { Creation } from '../schemas/portfolio.ts'
import { toIso, toUsd } from './format.ts'
import { nativeQuote } from './quote.ts'

/** A token that a wallet launched, as its portfolio serves it, with the creator's fees. */
export function toCreation(row: CreationRow): Static<typeof Creation> {
  return {
    token: row.token,
    name: row.name,
    symbol: row.symbol,
    imageUrl: row.image_url,
    hidden: row.hidden,
    status: row.status,
    marketCapUsd: toUsd(BigInt(row.market_cap), row.quote_usd),
    quote: nativeQuote(row.native_symbol),
    feesEarned: row.fees_earned,
    feesClaimed: row.fees_claimed,
    feesClaimable: subtract(BigInt(row.fees_earned), BigInt(row.fees_claimed)).toString(),
    createdAt: toIso(row.created_at),
  }
}
