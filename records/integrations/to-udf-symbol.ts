import type { Static } from '@sinclair/typebox'
import type { ChartSymbolRow } from '../../db/queries/integrations/chart-symbols.ts'
import {
  minuteMultipliers,
  resolutionNames,
  secondMultipliers,
  type UdfSymbol,
} from '../../schemas/integrations/udf.ts'
import { type Currency, codeOf, describeSymbol, nameSymbol, nameTicker, typeOf } from './name-symbol.ts'

/** A token as a symbol of a chart, in the format of TradingView's charting library. */
export function toUdfSymbol(
  row: ChartSymbolRow,
  { currency, exchange, coin }: { currency: Currency; exchange: string; coin: string },
): Static<typeof UdfSymbol> {
  return {
    name: nameSymbol(row, currency, coin),
    ticker: nameTicker(row.token, currency),
    description: describeSymbol(row, currency),
    type: typeOf(currency),
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange,
    listed_exchange: exchange,
    'exchange-traded': exchange,
    'exchange-listed': exchange,
    currency_code: codeOf(currency === 'native' ? 'native' : 'usd', coin),
    format: 'price',
    minmov: 1,
    minmov2: 0,
    pointvalue: 1,
    pricescale: findPriceScale(row, currency),
    has_intraday: true,
    has_seconds: true,
    has_daily: true,
    has_weekly_and_monthly: false,
    intraday_multipliers: minuteMultipliers,
    seconds_multipliers: secondMultipliers,
    supported_resolutions: resolutionNames,
    visible_plots_set: 'ohlcv',
    volume_precision: 6,
    data_status: 'streaming',
  }
}

const DIGITS = 8
/** Prices have at least cents, and at most the 18 decimals of the base unit. */
const [FEWEST_DECIMALS, MOST_DECIMALS] = [2, 18]

/** A power of ten with enough decimals for eight significant digits of the lower of launch price and current price. */
export function findPriceScale(
  row: Pick<ChartSymbolRow, 'price' | 'launch_price' | 'launch_price_usd' | 'native_usd' | 'supply'>,
  currency: Currency,
): number {
  const now = currency === 'native' ? row.price : (row.price ?? 0) * Number(row.native_usd ?? 0)
  const launch = currency === 'native' ? row.launch_price : row.launch_price_usd
  const factor = currency === 'marketCapUsd' ? row.supply : 1
  const lowest = Math.min(...[now, launch].map((price) => (price ?? 0) * factor).filter((price) => price > 0))
  const decimals = Number.isFinite(lowest) ? DIGITS - 1 - Math.floor(Math.log10(lowest)) : MOST_DECIMALS
  return 10 ** Math.min(MOST_DECIMALS, Math.max(FEWEST_DECIMALS, decimals))
}
