import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { type Chart, intervals, secondIntervals } from '../../../schemas/chart.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { HEAD, type SimulatedToken, timeOf, tokenAddress } from '../../support/market-simulation.ts'

type Data = Static<typeof Chart>

const { read, db, tokens } = await createMarketApp(t)
const token = tokens[20] as SimulatedToken
const launch = timeOf(token.block)
const now = timeOf(HEAD)
const url = `/tokens/${token.address}/chart`
const launchPrice = 1.25e-9
const priceOf = (trade: SimulatedToken['trades'][number]) => Number(trade.virtualQuote) / Number(trade.virtualToken)
const near = (a: number | null | undefined, b: number) => Math.abs((a as number) / b - 1) < 1e-12
const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })

for (const [interval, step] of Object.entries(intervals)) {
  t.test(`interval=${interval} is a series without gaps that has every trade once`, async (t) => {
    const { status, body } = await read<Data>(`${url}?interval=${interval}&limit=1500&from=0`)
    t.equal(status, 200)
    const { candles, ...rest } = body.data
    t.same(rest, {
      token: token.address,
      interval,
      currency: 'native',
      quote: { address: `0x${'0'.repeat(40)}`, symbol: 'ETH', decimals: 18 },
    })
    t.equal(candles[0]?.time, launch - (launch % step), 'from the launch')
    t.equal(candles.at(-1)?.time, now - (now % step), 'up to now')
    t.ok(near(candles[0]?.open, launchPrice), 'opens at the launch price')
    t.ok(near(candles.at(-1)?.close, priceOf(token.trades.at(-1) as never)), 'closes at the price of the last trade')
    for (const [at, candle] of candles.entries()) {
      const before = candles[at - 1]
      if (before && candle.time !== before.time + step) t.fail(`hole at ${candle.time}`)
      if (before && candle.open !== before.close) t.fail(`gap at ${candle.time}`)
      const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close] as number[] as [
        number,
        number,
        number,
        number,
      ]
      if (high < Math.max(open, close) || low > Math.min(open, close)) t.fail(`bad range at ${candle.time}`)
    }
    t.equal(
      candles.reduce((sum, candle) => sum + candle.trades, 0),
      token.trades.length,
    )
    t.equal(
      candles.reduce((sum, { volumeNative }) => sum + BigInt(volumeNative), 0n),
      token.trades.reduce((sum, { quoteAmount }) => sum + quoteAmount, 0n),
    )
  })
}

t.test('the default is the last 300 candles of five minutes', async (t) => {
  const { body } = await read<Data>(`/api${url}`)
  t.match(body.data, { interval: '5m', currency: 'native' })
  const all = await read<Data>(`${url}?interval=5m&limit=1500`)
  t.same(body.data.candles, all.body.data.candles.slice(-300))
})

t.test('limit selects the last candles, which open at the previous close', async (t) => {
  const all = (await read<Data>(`${url}?interval=15m&limit=1500`)).body.data.candles
  t.same((await read<Data>(`${url}?interval=15m&limit=7`)).body.data.candles, all.slice(-7))
})

t.test('from and to are inclusive', async (t) => {
  const all = (await read<Data>(`${url}?interval=15m&limit=1500`)).body.data.candles
  const [from, to] = [all[10]?.time as number, all[13]?.time as number]
  const { body } = await read<Data>(`${url}?interval=15m&from=${from + 30}&to=${to}`)
  t.same(body.data.candles, all.slice(10, 14))
})

t.test('times are clamped to the launch and the newest block', async (t) => {
  const all = (await read<Data>(`${url}?interval=4h`)).body.data.candles
  t.same((await read<Data>(`${url}?interval=4h&from=${launch - 900_000}&to=${now + 900_000}`)).body.data.candles, all)
  t.same((await read<Data>(`${url}?interval=4h&to=${launch - 900_000}`)).body.data.candles, [])
  t.same((await read<Data>(`${url}?interval=4h&from=${now + 900_000}`)).body.data.candles, [])
})

t.test('currency=usd returns prices in US dollars', async (t) => {
  const native = (await read<Data>(`${url}?interval=1h`)).body.data.candles
  const { body } = await read<Data>(`${url}?interval=1h&currency=usd`)
  t.equal(body.data.currency, 'usd')
  t.ok(native.length > 0)
  t.equal(body.data.candles.length, native.length)
  for (const [at, candle] of body.data.candles.entries()) {
    for (const part of ['open', 'high', 'low', 'close'] as const)
      if (!near(candle[part], (native[at]?.[part] as number) * 3000)) t.fail(`${part} of ${candle.time}`)
    t.equal(candle.volumeNative, native[at]?.volumeNative)
  }
})

t.test('a token without trades is a flat line at its launch price', async (t) => {
  const { body } = await read<Data>(`/tokens/${tokenAddress(3)}/chart?interval=1d`)
  t.equal(body.data.candles.length, 3)
  for (const { open, close, trades } of body.data.candles)
    t.ok(near(open, launchPrice) && open === close && trades === 0)
})

t.test('without a feed US dollar prices and volumes are null', async (t) => {
  const address = tokenAddress(21)
  await db.updateTable('blocks').set({ quote_usd: null }).where('number', '=', 2101).execute()
  await db
    .updateTable('candles')
    .set({ open_usd: null, high_usd: null, low_usd: null, close_usd: null })
    .where('token_id', '=', (query) => query.selectFrom('tokens').select('id').where('address', '=', address))
    .execute()
  const { body } = await read<Data>(`/tokens/${address}/chart?interval=1d&currency=usd`)
  t.ok(body.data.candles.length > 0)
  for (const { open, high, low, close, volumeUsd, trades } of body.data.candles)
    t.same([open, high, low, close, volumeUsd], [null, null, null, null, trades === 0 ? 0 : null])
})

t.test('the volume in US dollars is that of the trades with a price', async (t) => {
  const address = tokenAddress(22)
  const of = (query: string) => read<Data>(`/tokens/${address}/chart?interval=1d&${query}`)
  const before = (await of('currency=usd')).body.data.candles.findLast(({ trades }) => trades > 0)!
  await db
    .updateTable('candles')
    .set({ close_usd: null })
    .where('token_id', '=', (query) => query.selectFrom('tokens').select('id').where('address', '=', address))
    .where('bucket', '=', before.time)
    .execute()
  const after = (await of('currency=native')).body.data.candles.find(({ time }) => time === before.time)
  t.ok(before.volumeUsd! > 0)
  t.equal(after?.volumeUsd, before.volumeUsd)
})

const bad: [query: string, error: string][] = [
  ['interval=2m', 'query.interval must be one of 1s, 5s, 15s, 1m, 5m, 15m, 30m, 1h, 4h, 1d'],
  ['interval=', 'query.interval must be one of 1s, 5s, 15s, 1m, 5m, 15m, 30m, 1h, 4h, 1d'],
  ['limit=0', 'query.limit must be >= 1'],
  ['limit=1501', 'query.limit must be <= 1500'],
  ['limit=many', 'query.limit must be an integer'],
  ['from=-1', 'query.from must be >= 0'],
  ['from=yesterday', 'query.from must be an integer'],
  ['to=999999999999999', 'query.to must be <= 253402300799'],
  ['from=2000000100&to=2000000000', 'query.from must not be after query.to'],
  ['currency=eur', 'query.currency must be one of native, usd, marketCapUsd, quote'],
]
for (const [query, error] of bad) {
  t.test(`chart?${query} is rejected`, async (t) => {
    t.same(await read(`${url}?${query}`), failure(400, error))
  })
}

t.test('candles below a minute add up to those of a minute, for the last hour', async (t) => {
  let trades = 0
  for (const { address } of tokens) {
    const list = async (interval: string, more = '') =>
      (await read<Data>(`/tokens/${address}/chart?interval=${interval}&limit=1500${more}`)).body.data.candles
    const minutes = await list('1m')
    for (const [interval, step] of Object.entries(secondIntervals)) {
      const candles = await list(interval)
      t.equal(candles.at(-1)?.time, now - (now % step))
      t.ok((candles[0]?.time as number) >= now - 3_600 - step, `${interval} begins an hour ago`)
      for (const [at, { time, open }] of candles.entries()) {
        const before = candles[at - 1]
        if (before && (time !== before.time + step || open !== before.close)) t.fail(`${interval}: gap at ${time}`)
      }
      for (const minute of minutes.filter(({ time }) => time >= (candles[0]?.time as number))) {
        const parts = candles.filter(({ time }) => time >= minute.time && time < minute.time + 60)
        trades += parts.reduce((sum, part) => sum + part.trades, 0)
        t.same(
          {
            time: minute.time,
            open: parts[0]?.open,
            high: Math.max(...parts.map(({ high }) => high as number)),
            low: Math.min(...parts.map(({ low }) => low as number)),
            close: parts.at(-1)?.close,
            volumeNative: String(parts.reduce((sum, { volumeNative }) => sum + BigInt(volumeNative), 0n)),
            volumeQuote: String(parts.reduce((sum, { volumeQuote }) => sum + BigInt(volumeQuote), 0n)),
            volumeUsd: parts.reduce((sum, { volumeUsd }) => sum + (volumeUsd ?? 0), 0),
            trades: parts.reduce((sum, part) => sum + part.trades, 0),
          },
          minute,
          `${interval} of ${address}`,
        )
      }
    }
  }
  t.ok(trades > 0, 'there were trades in the last hour')
})

t.test('a change of the pool without a trade moves candles below a minute', async (t) => {
  const { address } = tokens.at(-1) as SimulatedToken
  await sql`insert into pool_states (token_id, block_number, log_index, price, price_usd, pool_quote, pool_token)
    select id, ${HEAD}, 999, 0.5, 1500, 1, 2 from tokens where address = ${address}`.execute(db)
  for (const [currency, price] of [
    ['native', 0.5],
    ['usd', 1_500],
    ['marketCapUsd', 1_500 * 1e9],
  ] as const) {
    const { candles } = (await read<Data>(`/tokens/${address}/chart?interval=5s&currency=${currency}`)).body.data
    t.match(candles.at(-1), { time: now - (now % 5), close: price, high: price })
  }
})

t.test('currency=marketCapUsd is the price in US dollars times the supply', async (t) => {
  const usd = (await read<Data>(`${url}?interval=1h&currency=usd`)).body.data.candles
  const { body } = await read<Data>(`${url}?interval=1h&currency=marketCapUsd`)
  t.equal(body.data.currency, 'marketCapUsd')
  t.ok(usd.length > 0 && usd.length === body.data.candles.length)
  for (const [at, candle] of body.data.candles.entries())
    for (const part of ['open', 'high', 'low', 'close'] as const)
      if (!near(candle[part], (usd[at]?.[part] as number) * 1e9)) t.fail(`${part} of ${candle.time}`)
})
