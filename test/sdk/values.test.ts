import fc from 'fast-check'
import t from 'tap'
import { formatUnits as viemFormat, parseUnits as viemParse } from 'viem'
import { pause } from '../../sdk/src/pause.ts'
import { withCandle } from '../../sdk/src/react/with-candle.ts'
import { withTokenEvent } from '../../sdk/src/react/with-token-event.ts'
import { applySlippage, formatUnits, isAddress, parseUnits, toBigInt } from '../../sdk/src/values.ts'

const amounts = fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n })
const decimals = fc.integer({ min: 0, max: 40 })

t.test('amounts are formatted and parsed exactly, as viem does', async (t) => {
  fc.assert(
    fc.property(amounts, decimals, (amount, decimals) => {
      const text = formatUnits(amount, decimals)
      return text === viemFormat(amount, decimals) && formatUnits(amount.toString(), decimals) === text
    }),
  )
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), decimals, (amount, decimals) => {
      const text = viemFormat(amount, decimals)
      return parseUnits(text, decimals) === amount && viemParse(text, decimals) === amount
    }),
  )
  t.equal(formatUnits('1999999999999999999', 18, { digits: 4 }), '1.9999', 'further digits are cut off')
  t.equal(formatUnits('1000000000000000000', 18, { digits: 4 }), '1')
  t.equal(formatUnits(-1n, 18, { digits: 4 }), '0', 'there is no minus zero')
  t.equal(parseUnits(' .5', 1), 5n)
  t.equal(parseUnits('1.50', 1), 15n, 'zeros at the end need no decimals')
})

t.test('text that is not an amount is rejected', async (t) => {
  for (const text of ['', ' ', '1e18', '0x10', '1.5', '1_000', 'NaN', '+1']) t.throws(() => toBigInt(text), SyntaxError)
  for (const text of ['', '.', '-1', '1e3', '1,5', '1.2.3', 'Infinity'])
    t.throws(() => parseUnits(text, 18), SyntaxError)
  t.throws(() => parseUnits('0.1234567', 6), RangeError)
  t.equal(toBigInt('-5'), -5n)
})

t.test('slippage is basis points of the output, rounded down', async (t) => {
  t.equal(applySlippage(10_001n, 100), 9_900n)
  t.equal(applySlippage('10001', 0), 10_001n)
  t.equal(applySlippage(10_001n, 10_000), 0n)
  for (const bps of [-1, 10_001, 0.5, Number.NaN]) t.throws(() => applySlippage(1n, bps), RangeError)
})

t.test('isAddress rejects other text', async (t) => {
  t.ok(isAddress('0x70997970C51812dc3A010C7d01b50e0d17dc79C8'))
  for (const other of ['0x', `0x${'0'.repeat(39)}`, `0x${'0'.repeat(41)}`, `0x${'g'.repeat(40)}`, 5, null])
    t.notOk(isAddress(other))
})

t.test('a pause ends after its time, or at once with the reason of its aborted signal', async (t) => {
  await pause(0)
  const stopping = new AbortController()
  await pause(0, stopping.signal)
  const paused = pause(3_600_000, stopping.signal)
  stopping.abort(new Error('enough'))
  await t.rejects(paused, { message: 'enough' })
  await t.rejects(pause(0, stopping.signal), { message: 'enough' }, 'an aborted signal')
})

t.test('a candle replaces the last one or is appended; an older one changes nothing', async (t) => {
  const candle = (time: number, close = '1') => ({ time, close })
  type Chart = Parameters<typeof withCandle>[0]
  const chart = { interval: '1m', candles: [candle(60), candle(120)] } as unknown as Chart
  const add = (to: Chart, one: object) => withCandle(to, one as Chart['candles'][number])
  const timesAfter = (one: object, to = chart) => add(to, one)?.candles.map(({ time, close }) => `${time} ${close}`)
  t.same(timesAfter(candle(120, '2')), ['60 1', '120 2'])
  t.same(timesAfter(candle(180, '2')), ['60 1', '120 1', '180 2'])
  for (const time of [0, 60, 119]) t.equal(add(chart, candle(time, '2')), chart, `${time} s`)
  t.equal(add(chart, candle(240)), undefined, 'a gap')
  const [none, one] = [[], [candle(60)]].map((candles) => ({ ...chart, candles }) as unknown as Chart)
  t.equal(add(none!, candle(60)), undefined, 'the first candle of an empty chart')
  t.same(timesAfter(candle(60, '2'), one), ['60 2'])
  t.equal(add(one!, candle(0)), one)
  t.equal(add(one!, candle(120)), undefined, 'the interval is unknown')
})

t.test(
  'a token follows its events, keeps what it is to the reader, and is requested again after events without it',
  (t) => {
    type Known = Parameters<typeof withTokenEvent>[0]
    type Message = Parameters<typeof withTokenEvent>[1]
    const token = { status: 'curve', likedByMe: true, watchedByMe: false } as Known
    const after = (type: string, data: object = {}) => withTokenEvent(token, { type, data } as Message)
    for (const type of ['token.updated', 'token.graduated'])
      t.same(
        after(type, { status: 'graduated', likedByMe: null, watchedByMe: null }),
        { status: 'graduated', likedByMe: true, watchedByMe: false },
        type,
      )
    const known = { risk: { creatorSoldPct: 1 }, suspicious: { count: 1, pct: 2 } }
    const message = { type: 'token.updated', data: { status: 'curve' } } as Message
    t.match(withTokenEvent({ ...token, ...known } as Known, message), known, 'events have no risk')
    for (const type of ['trade', 'trade.retracted'])
      t.equal(
        withTokenEvent({ ...token, ...known } as Known, { type } as Message),
        undefined,
        `${type} changes the risk`,
      )
    t.equal(after('trade'), token)
    for (const type of ['token.graduated.retracted', 'comment', 'comment.removed'])
      t.equal(after(type), undefined, type)
    t.end()
  },
)
