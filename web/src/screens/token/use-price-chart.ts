import { getTokenChart, type Schema } from '@slipway/sdk'
import { useOperation } from '@slipway/sdk/react'
import type { Candle, Currency, Interval, Trade } from '../../data/tokens.ts'

const LIMIT = 500

/** Candles that each trade moves at once. Events carry candles in the native coin; in USD the trade itself is applied. */
export function usePriceChart(address: string, interval: Interval, currency: Currency) {
  return useOperation(
    getTokenChart,
    { path: { address }, query: { interval, currency, limit: LIMIT } },
    {
      rooms: [`token:${address}`],
      keepPrevious: true,
      apply: (chart, message) => {
        if (message.type === 'candle' && currency === 'native')
          return withCandle(chart, message.data.candles[chart.interval])
        if (message.type === 'trade' && currency === 'usd') return withTrade(chart, message.data)
        return message.type === 'trade.retracted' ? undefined : chart
      },
    },
  )
}

type Chart = Schema<'Chart'>

/** Replaces the last candle, or appends a later one. */
function withCandle(chart: Chart, candle: Candle): Chart {
  const last = chart.candles.at(-1)
  if (last && candle.time < last.time) return chart
  const kept = last?.time === candle.time ? chart.candles.slice(0, -1) : chart.candles
  return { ...chart, candles: [...kept, candle] }
}

function withTrade(chart: Chart, { priceUsd, quoteAmount, valueUsd, timestamp }: Trade): Chart | undefined {
  const [before, last] = chart.candles.slice(-2)
  // Without two candles or a price, the chart is read again.
  if (!before || !last || priceUsd === null) return undefined
  const width = last.time - before.time
  const time = Math.floor(Date.parse(timestamp) / 1_000 / width) * width
  if (time < last.time) return chart
  const isNew = time > last.time
  const base = isNew
    ? { open: last.close, high: last.close, low: last.close, volumeNative: 0n, volumeUsd: 0, trades: 0 }
    : { ...last, volumeNative: BigInt(last.volumeNative), volumeUsd: last.volumeUsd ?? 0 }
  return withCandle(chart, {
    time,
    open: base.open ?? priceUsd,
    high: Math.max(base.high ?? priceUsd, priceUsd),
    low: Math.min(base.low ?? priceUsd, priceUsd),
    close: priceUsd,
    volumeNative: String(base.volumeNative + BigInt(quoteAmount)) as Candle['volumeNative'],
    volumeUsd: base.volumeUsd + (valueUsd ?? 0),
    trades: base.trades + 1,
  })
}
