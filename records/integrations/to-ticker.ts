import type { Static } from '@sinclair/typebox'
import { formatUsd } from '../../chain/amounts.ts'
import type { TickerRow } from '../../db/queries/integrations/tickers.ts'
import type { CoingeckoTicker } from '../../schemas/integrations/coingecko.ts'
import { valueInUsd } from '../quote.ts'
import { PRICE_DECIMALS, toChecksum, toCoins, toPoolId } from './format.ts'

/** A market of the last 24 hours, as CoinGecko reads it. */
export function toTicker(row: TickerRow): Static<typeof CoingeckoTicker> {
  const [base, target] = [toChecksum(row.token), toChecksum(row.quote_contract)]
  const liquidity = row.liquidity === null ? null : valueInUsd(row, BigInt(row.liquidity))
  const toWhole = (price: string) => toCoins(price, PRICE_DECIMALS + row.quote_decimals - row.decimals)
  return {
    ticker_id: `${base}_${target}`,
    base_currency: base,
    target_currency: target,
    pool_id: row.pool === null ? base : toPoolId(row.pool),
    last_price: toWhole(row.last_price),
    high: toWhole(row.high),
    low: toWhole(row.low),
    base_volume: toCoins(row.base_volume, row.decimals),
    target_volume: toCoins(row.target_volume, row.quote_decimals),
    ...(liquidity !== null && { liquidity_in_usd: formatUsd(liquidity) }),
  }
}
