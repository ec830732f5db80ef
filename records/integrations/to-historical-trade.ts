import type { Static } from '@sinclair/typebox'
import type { TickerTradeRow } from '../../db/queries/integrations/tickers.ts'
import type { CoingeckoTrades } from '../../schemas/integrations/coingecko.ts'
import { toCoins, toPrice } from './format.ts'

/**
 * Multiplier of the block number in a trade id; exceeds the number of logs of any block. Ids stay safe integers up to block
 * 9,000,000,000.
 */
const LOGS_A_BLOCK = 1_000_000

/** A trade as CoinGecko reads it; null if its price rounds to zero. */
export function toHistoricalTrade(
  row: TickerTradeRow,
  decimals: { quote: number; token: number },
): Static<typeof CoingeckoTrades>['buy'][number] | null {
  const price = toPrice(row.quote_amount, row.token_amount, decimals)
  if (price === null) return null
  return {
    trade_id: row.block_number * LOGS_A_BLOCK + row.log_index,
    price,
    base_volume: toCoins(row.token_amount, decimals.token),
    target_volume: toCoins(row.quote_amount, decimals.quote),
    trade_timestamp: row.block_time * 1000,
    type: row.side,
  }
}
