import { formatRatio } from '../chain/price.ts'
import type { TradeRow } from '../db/queries/trades.ts'
import { toIso } from './format.ts'

/** A trade as the API serves it. */
export function toTrade(row: TradeRow) {
  return {
    id: `${row.tx_hash}-${row.log_index}`,
    token: row.token,
    trader: row.trader,
    recipient: row.recipient,
    side: row.side,
    venue: row.venue,
    tokenAmount: row.token_amount,
    quoteAmount: row.quote_amount,
    priceNative: formatRatio(BigInt(row.virtual_quote), BigInt(row.virtual_token)),
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
