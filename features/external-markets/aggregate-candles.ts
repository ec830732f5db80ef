import type { Candle } from './provider.ts'

/**
 * Merges candles of `step` seconds or shorter, in any order, into the last `limit` candles of `step` seconds without
 * gaps: a step without trades repeats the previous close. The newest candle is in the last step.
 */
export function aggregateCandles(given: readonly Candle[], step: number, limit: number): Candle[] {
  const startOf = ({ time }: Candle) => time - (time % step)
  const merged = new Map<number, Candle>()
  // The last one of candles with equal time is kept.
  const distinct = [...new Map(given.map((candle) => [candle.time, candle])).values()]
  for (const candle of distinct.sort((a, b) => a.time - b.time)) {
    const before = merged.get(startOf(candle))
    merged.set(startOf(candle), before ? merge(before, candle) : widen({ ...candle, time: startOf(candle) }))
  }
  const starts = [...merged.keys()]
  const [first, last] = [starts[0], starts.at(-1)]
  if (first === undefined || last === undefined) return []
  const from = Math.max(first, last - (limit - 1) * step)
  const carried = starts.findLast((start) => start <= from) as number
  let { close } = merged.get(carried) as Candle
  return Array.from({ length: (last - from) / step + 1 }, (_, at) => {
    const time = from + at * step
    const candle = merged.get(time) ?? { time, open: close, high: close, low: close, close, volumeUsd: 0 }
    close = candle.close
    return candle
  })
}

const merge = (before: Candle, after: Candle): Candle => ({
  time: before.time,
  open: before.open,
  high: Math.max(before.high, widen(after).high),
  low: Math.min(before.low, widen(after).low),
  close: after.close,
  volumeUsd: before.volumeUsd + after.volumeUsd,
})

/** A provider's high and low do not always include open and close, and charts cannot draw such a candle. */
const widen = ({ time, open, high, low, close, volumeUsd }: Candle): Candle => ({
  time,
  open,
  high: Math.max(open, high, low, close),
  low: Math.min(open, high, low, close),
  close,
  volumeUsd,
})
