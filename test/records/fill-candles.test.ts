import t from 'tap'
import type { CandleRow } from '../../db/queries/candles.ts'
import { fillCandles, skipGaps } from '../../records/fill-candles.ts'

const row = (bucket: number, prices: [number, number, number, number], usd: number | null = 2): CandleRow => {
  const [open, high, low, close] = prices
  const inUsd = (price: number) => (usd === null ? null : price * usd)
  return {
    bucket,
    open,
    high,
    low,
    close,
    open_usd: inUsd(open),
    high_usd: inUsd(high),
    low_usd: inUsd(low),
    close_usd: inUsd(close),
    volume: '10',
    volume_usd: '20.00000000',
    trades: 3,
    ...{ open_native: null, high_native: null, low_native: null, close_native: null, volume_native: null },
  }
}
const native = { start: 0, end: 240, step: 60, currency: 'quote' } as const

t.test('intervals without trades carry the last price, and candles join without gaps', async (t) => {
  t.same(fillCandles([row(60, [3, 4, 2, 2.5]), row(180, [5, 6, 5, 6])], 1, native), [
    { time: 0, open: 1, high: 1, low: 1, close: 1, volumeNative: '0', volumeQuote: '0', volumeUsd: 0, trades: 0 },
    { time: 60, open: 1, high: 4, low: 1, close: 2.5, volumeNative: '10', volumeQuote: '10', volumeUsd: 20, trades: 3 },
    {
      time: 120,
      open: 2.5,
      high: 2.5,
      low: 2.5,
      close: 2.5,
      volumeNative: '0',
      volumeQuote: '0',
      volumeUsd: 0,
      trades: 0,
    },
    {
      time: 180,
      open: 2.5,
      high: 6,
      low: 2.5,
      close: 6,
      volumeNative: '10',
      volumeQuote: '10',
      volumeUsd: 20,
      trades: 3,
    },
    { time: 240, open: 6, high: 6, low: 6, close: 6, volumeNative: '0', volumeQuote: '0', volumeUsd: 0, trades: 0 },
  ])
})

t.test('a window opens with the close of the candle before it', async (t) => {
  const candles = fillCandles([row(0, [1, 1, 1, 9])], 1, { ...native, start: 120, end: 120 })
  t.same(candles, [
    { time: 120, open: 9, high: 9, low: 9, close: 9, volumeNative: '0', volumeQuote: '0', volumeUsd: 0, trades: 0 },
  ])
})

t.test('prices in US dollars are null without a feed price, and start with the first known one', async (t) => {
  const rows = [row(60, [3, 4, 2, 2.5], null), row(120, [3, 4, 2, 2.5])]
  t.same(fillCandles(rows, null, { ...native, end: 120, currency: 'usd' }), [
    {
      time: 0,
      open: null,
      high: null,
      low: null,
      close: null,
      volumeNative: '0',
      volumeQuote: '0',
      volumeUsd: 0,
      trades: 0,
    },
    {
      time: 60,
      open: null,
      high: null,
      low: null,
      close: null,
      volumeNative: '10',
      volumeQuote: '10',
      volumeUsd: null,
      trades: 3,
    },
    { time: 120, open: 6, high: 8, low: 4, close: 5, volumeNative: '10', volumeQuote: '10', volumeUsd: 20, trades: 3 },
  ])
})

t.test('a window that ends before it starts is empty', async (t) => {
  t.same(fillCandles([], 1, { ...native, start: 60, end: 0 }), [])
})

t.test('a window begins after its newest gap, and is empty if it ends in one', async (t) => {
  const gaps = [
    { first: 0, stop: 100, longest: 1_800 },
    { first: 200, stop: 300, longest: 14_400 },
  ]
  const within = (start: number, end: number, step = 60) =>
    skipGaps({ start, end, step, currency: 'native' }, gaps).start
  t.strictSame([within(40, 160), within(120, 180), within(40, 400), within(320, 400)], [100, 120, 300, 320])
  t.ok(within(120, 240) > 240)
  t.strictSame([within(0, 160, 3_600), within(0, 400, 3_600), within(0, 400, 86_400)], [0, 300, 0])
})

t.test('of another quote asset, prices and volumes in native coin are columns of their own', async (t) => {
  const quoted = {
    ...row(60, [3, 4, 2, 2.5]),
    ...{ open_native: 30, high_native: 40, low_native: 20, close_native: 25, volume_native: '7' },
  }
  const [first] = fillCandles([quoted], 1, { ...native, start: 60, end: 60 })
  t.match(first, { open: 1, close: 2.5, volumeNative: '7', volumeQuote: '10' })
  const [inNative] = fillCandles([quoted], 10, { start: 60, end: 60, step: 60, currency: 'native' })
  t.match(inNative, { open: 10, high: 40, low: 10, close: 25, volumeNative: '7', volumeQuote: '10' })
})
