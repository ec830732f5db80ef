import type { Static } from '@sinclair/typebox'
import { subtract } from '../chain/amounts.ts'
import { creatorFeeOf } from '../chain/creator-fees.ts'
import type { CreationRow } from '../db/queries/portfolio.ts'
import type { Creation } from '../schemas/portfolio.ts'
import { toIso, toUsd } from './format.ts'
import { nativeQuote } from './quote.ts'

/** A token that a wallet launched, or whose creator fees it gets, as the portfolio of the wallet serves it. */
export function toCreation(row: CreationRow, wallet: string): Static<typeof Creation> {
  const owner = row.fee_owner ?? row.creator
  const shares = row.fee_shares ?? [{ recipient: owner, bps: 10_000 }]
  const unclaimed = subtract(BigInt(row.fees_earned), BigInt(row.fees_claimed))
  return {
    token: row.token,
    name: row.name,
    symbol: row.symbol,
    imageUrl: row.image_url,
    hidden: row.hidden,
    creator: row.creator,
    status: row.status,
    marketCapUsd: toUsd(BigInt(row.market_cap), row.quote_usd),
    quote: nativeQuote(row.native_symbol),
    feesEarned: row.fees_earned,
    feesClaimed: row.fees_claimed,
    feesClaimable: creatorFeeOf(wallet, unclaimed, shares).toString(),
    feeShareBps: shares.reduce((sum, { recipient, bps }) => (recipient === wallet ? sum + bps : sum), 0),
    ownsFeeRight: owner === wallet,
    createdAt: toIso(row.created_at),
  }
}
