import type { ChartEnd } from '../db/queries/candles.ts'
import { type Interval, intervals } from '../schemas/chart.ts'
import { type Candle, fillCandles, toCandleCurrency } from './fill-candles.ts'

const names = Object.keys(intervals) as Interval[]

/** The last candle of a token's chart in each interval, in native coin, as the chart endpoint returns it. */
export function toCurrentCandles(ends: readonly ChartEnd[]): Partial<Record<Interval, Candle>> {
  const byLength = new Map(ends.map((end) => [end.resolution, end]))
  const candles: Partial<Record<Interval, Candle>> = {}
  for (const name of names) {
    const end = byLength.get(intervals[name])
    if (end) candles[name] = toLastCandle(end)
  }
  return candles
}

function toLastCandle({ resolution: step, launch_price, is_quoted, clock, candles }: ChartEnd): Candle {
  const start = clock - (clock % step)
  return fillCandles(candles, launch_price, {
    start,
    end: start,
    step,
    currency: toCandleCurrency('native', is_quoted),
  })[0] as Candle
}
