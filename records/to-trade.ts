import type { Static } from '@sinclair/typebox'
import type { TradeRow } from '../db/queries/trades.ts'
import type { Trade } from '../schemas/tokens.ts'
import { toIso } from './format.ts'
import { toPrices, toQuote } from './quote.ts'

/** A trade as the API serves it. */
export function toTrade(row: TradeRow): Static<typeof Trade> {
  return {
    id: `${row.tx_hash}-${row.log_index}`,
    token: row.token,
    trader: row.trader,
    recipient: row.recipient,
    side: row.side,
    venue: row.venue,
    quote: toQuote(row),
    tokenAmount: row.token_amount,
    quoteAmount: row.quote_amount,
    ...toPrices(row, { quote: BigInt(row.virtual_quote), token: BigInt(row.virtual_token) }, row.rate_native),
    priceUsd: row.price_usd,
    valueUsd: row.value_usd === null ? null : Number(row.value_usd),
    protocolFee: row.protocol_fee,
    creatorFee: row.creator_fee,
    timestamp: toIso(row.block_time),
    blockNumber: row.block_number,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    confirmed: row.confirmed,
  }
}
