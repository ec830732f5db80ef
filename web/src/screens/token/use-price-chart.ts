import { getTokenChart, type Schema } from '@slipway/sdk'
import { useOperation } from '@slipway/sdk/react'
import type { Candle, Currency, Interval } from '../../data/tokens.ts'

const LIMIT = 500
const SECONDS: Record<Interval, number> = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '30m': 1_800,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
}

/** Candles that each trade moves. Events carry those in the native coin, which are applied at once; in USD they are read again. */
export function usePriceChart(address: string, interval: Interval, currency: Currency) {
  return useOperation(
    getTokenChart,
    { path: { address }, query: { interval, currency, limit: LIMIT } },
    {
      rooms: [`token:${address}`],
      keepPrevious: true,
      apply: (chart, message) => {
        if (message.type !== 'candle') return message.type === 'trade.retracted' ? undefined : chart
        return currency === 'native' ? withCandle(chart, message.data.candles[chart.interval]) : undefined
      },
    },
  )
}

type Chart = Schema<'Chart'>

/** Replaces the last candle, or appends the next one. After a gap, which the service fills, the chart is read again. */
function withCandle(chart: Chart, candle: Candle): Chart | undefined {
  const last = chart.candles.at(-1)
  if (!last || candle.time > last.time + SECONDS[chart.interval]) return undefined
  if (candle.time < last.time) return chart
  const kept = last.time === candle.time ? chart.candles.slice(0, -1) : chart.candles
  return { ...chart, candles: [...kept, candle] }
}
