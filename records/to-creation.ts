import type { Static } from '@sinclair/typebox'
import { subtract } from '../chain/amounts.ts'
import { creatorFeeOf } from '../chain/creator-fees.ts'
import type { CreationRow } from '../db/queries/portfolio/portfolio.ts'
import type { Creation } from '../schemas/portfolio.ts'
import { toIso } from './format.ts'
import { toMarketCapUsd, toQuote } from './quote.ts'

/** A token that a wallet launched, or whose creator fees it gets, as the portfolio of the wallet serves it. */
export function toCreation(row: CreationRow, wallet: string): Static<typeof Creation> {
  return {
    token: row.token,
    name: row.name,
    symbol: row.symbol,
    imageUrl: row.image_url,
    hidden: row.hidden,
    creator: row.creator,
    status: row.status,
    marketCapUsd: toMarketCapUsd(row, { quote: BigInt(row.reserve_quote), token: BigInt(row.reserve_token) }),
    quote: toQuote(row),
    ...toFees(row, wallet),
    createdAt: toIso(row.created_at),
  }
}

function toFees(
  { creator, fees_earned: earned, fees_claimed: claimed, fee_owner, fee_shares }: CreationRow,
  wallet: string,
) {
  if (earned === null || claimed === null)
    return { feesEarned: null, feesClaimed: null, feesClaimable: null, feeShareBps: null, ownsFeeRight: false }
  const owner = fee_owner ?? creator
  const shares = fee_shares ?? [{ recipient: owner, bps: 10_000 }]
  const unclaimed = subtract(BigInt(earned), BigInt(claimed))
  return {
    feesEarned: earned,
    feesClaimed: claimed,
    feesClaimable: creatorFeeOf(wallet, unclaimed, shares).toString(),
    feeShareBps: shares.reduce((sum, { recipient, bps }) => (recipient === wallet ? sum + bps : sum), 0),
    ownsFeeRight: owner === wallet,
  }
}
