import type { Schema } from '../types.ts'

/** Replaces the last candle, or appends the next one. undefined after a gap, which the service fills with candles. */
export function withCandle(
  chart: Schema<'Chart'>,
  candle: Schema<'Chart'>['candles'][number],
): Schema<'Chart'> | undefined {
  const { candles } = chart
  const [before, last] = [candles.at(-2), candles.at(-1)]
  if (last?.time === candle.time) return { ...chart, candles: [...candles.slice(0, -1), candle] }
  if (last && candle.time < last.time) return chart
  const next = before && last ? 2 * last.time - before.time : undefined
  return candle.time === next ? { ...chart, candles: [...candles, candle] } : undefined
}
