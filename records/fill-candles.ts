import type { CandleGap } from '../db/queries/archives.ts'
import type { CandleRow } from '../db/queries/candles.ts'

export interface Candle {
  /** Unix seconds of its start. */
  time: number
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  /** Base units of the native coin. */
  volumeNative: string
  /** Base units of the quote asset. */
  volumeQuote: string
  volumeUsd: number | null
  trades: number
}

export interface Window {
  /** Starts of the first and the last candle, unix seconds, multiples of step. */
  start: number
  end: number
  /** Seconds. */
  step: number
  currency: CandleCurrency
}

/** native: of a token whose quote asset is not the native coin. */
export type CandleCurrency = 'quote' | 'native' | 'usd'

/** The columns of a currency. */
export const toCandleCurrency = (currency: 'native' | 'quote' | 'usd', isQuoted: boolean): CandleCurrency =>
  currency === 'native' && !isQuoted ? 'quote' : currency

/**
 * The part of a window after its newest gap, because candles in a gap would be a flat line that is not true; empty (it ends
 * before its start) if the window ends in a gap.
 */
export function skipGaps(window: Window, gaps: readonly CandleGap[]): Window {
  const missing = gaps.filter(({ first, longest }) => longest >= window.step && first <= window.end)
  return { ...window, start: Math.max(window.start, ...missing.map(({ stop }) => stop)) }
}

const NO_VOLUME = { volumeNative: '0', volumeQuote: '0', volumeUsd: 0, trades: 0 }

/**
 * Returns a candle per step from start to end. `rows`: candles with trades, ascending, optionally preceded by the last
 * one before start. Invariant: each candle opens at the previous close, within its high and low, since the price of a
 * curve moves only by trades: opening at the first trade's price would hide its effect.
 */
export function fillCandles(rows: readonly CandleRow[], launchPrice: number | null, window: Window): Candle[] {
  const { start, end, step, currency } = window
  const candles: Candle[] = []
  let at = 0
  let last = launchPrice
  for (; at < rows.length && (rows[at] as CandleRow).bucket < start; at++)
    last = closeOf(rows[at] as CandleRow, currency)
  for (let time = start; time <= end; time += step) {
    const row = rows[at]
    if (row?.bucket !== time) {
      candles.push({ time, open: last, high: last, low: last, close: last, ...NO_VOLUME })
      continue
    }
    at++
    candles.push({ time, ...pricesOf(row, last, currency), ...volumesOf(row) })
    last = closeOf(row, currency)
  }
  return candles
}

/** The candles with every price times a factor: market capitalisations with the supply in whole tokens. */
export const scaleCandles = (candles: readonly Candle[], factor: number): Candle[] =>
  candles.map((candle) => ({
    ...candle,
    open: times(candle.open, factor),
    high: times(candle.high, factor),
    low: times(candle.low, factor),
    close: times(candle.close, factor),
  }))

const times = (price: number | null, factor: number) => (price === null ? null : price * factor)

const closeOf = (row: CandleRow, currency: CandleCurrency) => readPrices(row, currency)[3] ?? null

function readPrices(row: CandleRow, currency: CandleCurrency): readonly (number | null)[] {
  if (currency === 'usd') return [row.open_usd, row.high_usd, row.low_usd, row.close_usd]
  if (currency === 'native') return [row.open_native, row.high_native, row.low_native, row.close_native]
  return [row.open, row.high, row.low, row.close]
}

function pricesOf(row: CandleRow, last: number | null, currency: CandleCurrency) {
  const [first = null, high = null, low = null, close = null] = readPrices(row, currency)
  // Without a previous price, as before the first USD price, a candle opens at its first trade.
  const open = last ?? first
  if (open === null || high === null || low === null) return { open, high, low, close }
  return { open, high: Math.max(open, high), low: Math.min(open, low), close }
}

/** Trades without a price add nothing to the volume in US dollars; it is null if none of the candle had one. */
function volumesOf({ volume, volume_native, volume_usd, high_usd, trades }: CandleRow) {
  return {
    volumeNative: volume_native ?? volume,
    volumeQuote: volume,
    volumeUsd: high_usd === null ? null : Number(volume_usd),
    trades,
  }
}
