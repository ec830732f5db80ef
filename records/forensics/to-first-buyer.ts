import type { Static } from '@sinclair/typebox'
import { toPercent } from '../../chain/price.ts'
import type { LaunchBuyer } from '../../db/queries/forensics/classify-buyers.ts'
import type { LaunchForensics } from '../../db/queries/forensics/read-launch.ts'
import type { FirstBuyer } from '../../schemas/forensics.ts'
import { toIso } from '../format.ts'
import { toQuote } from '../quote.ts'

/** One of the first buyers of a token as the API serves it. */
export function toFirstBuyer(
  { wallet, purchase }: LaunchBuyer,
  { token, wallets }: LaunchForensics,
): Static<typeof FirstBuyer> {
  const { balance = 0n, flags = [] } = wallets.get(wallet) ?? {}
  return {
    wallet,
    timestamp: toIso(purchase.block_time),
    quote: toQuote(token),
    tokenAmount: purchase.token_amount,
    quoteAmount: purchase.quote_amount,
    balance: balance.toString(),
    pct: toPercent(balance, BigInt(token.total_supply)),
    flags: [...flags],
    blockNumber: purchase.block_number,
    txHash: purchase.tx_hash,
    logIndex: purchase.log_index,
    confirmed: token.finalized_number !== null && purchase.block_number <= token.finalized_number,
  }
}
