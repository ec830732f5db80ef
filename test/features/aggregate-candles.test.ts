import t from 'tap'
import { aggregateCandles } from '../../features/external-markets/aggregate-candles.ts'

const candle = (time: number, open: number, high: number, low: number, close: number, volumeUsd = 10) => ({
  time,
  open,
  high,
  low,
  close,
  volumeUsd,
})
const flat = (time: number, price: number) => candle(time, price, price, price, price, 0)

t.test('sorts candles and fills gaps with the last price', async (t) => {
  const given = [candle(300, 3, 4, 2, 3.5), candle(60, 1, 2, 1, 2), candle(120, 2, 3, 2, 3)]
  t.same(aggregateCandles(given, 60, 300), [
    candle(60, 1, 2, 1, 2),
    candle(120, 2, 3, 2, 3),
    flat(180, 3),
    flat(240, 3),
    candle(300, 3, 4, 2, 3.5),
  ])
})

t.test('merges candles of one step', async (t) => {
  const given = [candle(900, 2, 9, 2, 3, 1), candle(0, 1, 2, 0.5, 2, 2), candle(1800, 3, 3, 1, 1, 4)]
  t.same(aggregateCandles(given, 1800, 300), [candle(0, 1, 9, 0.5, 3, 3), candle(1800, 3, 3, 1, 1, 4)])
})

t.test('returns the last candles, opened at the previous close', async (t) => {
  const given = [candle(0, 1, 1, 1, 1), candle(60, 1, 5, 1, 5), candle(600, 5, 6, 5, 6)]
  t.same(aggregateCandles(given, 60, 3), [flat(480, 5), flat(540, 5), candle(600, 5, 6, 5, 6)])
  t.same(aggregateCandles(given, 60, 1), [candle(600, 5, 6, 5, 6)])
})

t.test('a candle within a step keeps its prices and counts once', async (t) => {
  const odd = candle(60, 9, 5, 4, 1)
  t.same(aggregateCandles([odd, odd], 60, 300), [candle(60, 9, 9, 1, 1)])
})

t.test('a start time within a step is rounded down to the step', async (t) => {
  t.same(aggregateCandles([candle(61, 1, 1, 1, 1)], 60, 300), [candle(60, 1, 1, 1, 1)])
})

t.test('a gap of years takes little time', async (t) => {
  const candles = aggregateCandles([candle(0, 1, 1, 1, 1), candle(4_000_000_020, 2, 2, 2, 2)], 60, 300)
  t.equal(candles.length, 300)
  t.same(candles[298], flat(3_999_999_960, 1))
})

t.test('an empty list of candles stays empty', async (t) => {
  t.same(aggregateCandles([], 60, 300), [])
})
