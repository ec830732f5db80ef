import { NATIVE_DECIMALS } from '../../../chain/amounts.ts'
import type { Candle } from '../../../records/fill-candles.ts'
import type { Currency } from '../../../records/integrations/name-symbol.ts'

export interface Bars {
  s: 'ok'
  t: number[]
  o: number[]
  h: number[]
  l: number[]
  c: number[]
  v: number[]
}

/**
 * Candles as columns, null if there are none. Candles without a positive price are skipped, such as US dollar candles
 * before the first price feed value.
 */
export function buildBars(candles: readonly Candle[], currency: Currency): Bars | null {
  const bars: Bars = { s: 'ok', t: [], o: [], h: [], l: [], c: [], v: [] }
  for (const candle of candles) {
    const { open, high, low, close } = candle
    if (!isPrice(open) || !isPrice(high) || !isPrice(low) || !isPrice(close)) continue
    bars.t.push(candle.time)
    bars.o.push(open)
    bars.h.push(Math.max(high, open, close))
    bars.l.push(Math.min(low, open, close))
    bars.c.push(close)
    bars.v.push(currency === 'native' ? Number(candle.volumeNative) / 10 ** NATIVE_DECIMALS : (candle.volumeUsd ?? 0))
  }
  return bars.t.length === 0 ? null : bars
}

const isPrice = (price: number | null): price is number => price !== null && Number.isFinite(price) && price > 0
