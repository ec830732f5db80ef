import type { Static } from '@sinclair/typebox'
import { formatUsd, nativeToUsd, parseUsd } from '../../chain/amounts.ts'
import type { TickerRow } from '../../db/queries/integrations/tickers.ts'
import type { CoingeckoTicker } from '../../schemas/integrations/coingecko.ts'
import { PRICE_DECIMALS, toChecksum, toCoins } from './format.ts'

/** A market of the last 24 hours, as CoinGecko reads it. */
export function toTicker(row: TickerRow): Static<typeof CoingeckoTicker> {
  const [base, target] = [toChecksum(row.token), toChecksum(row.wrapped_native)]
  const liquidity =
    row.quote_usd === null || row.liquidity === null
      ? null
      : nativeToUsd(BigInt(row.liquidity), parseUsd(row.quote_usd))
  return {
    ticker_id: `${base}_${target}`,
    base_currency: base,
    target_currency: target,
    pool_id: row.pool === null ? base : toChecksum(row.pool),
    last_price: toCoins(row.last_price, PRICE_DECIMALS),
    high: toCoins(row.high, PRICE_DECIMALS),
    low: toCoins(row.low, PRICE_DECIMALS),
    base_volume: toCoins(row.base_volume),
    target_volume: toCoins(row.target_volume),
    ...(liquidity !== null && { liquidity_in_usd: formatUsd(liquidity) }),
  }
}
