import t from 'tap'
import { findPriceScale } from '../../../records/integrations/to-udf-symbol.ts'
import { buildBars } from '../../../routes/integrations/udf/build-bars.ts'
import { findProblems, type History } from '../../support/feeds/udf-history.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { HIDDEN } from '../../support/market-rows.ts'
import { HEAD, type SimulatedToken, timeOf, tokenAddress } from '../../support/market-simulation.ts'

interface Found {
  symbol: string
  full_name: string
  ticker: string
}

const { app, db, tokens, read } = await createMarketApp(t)
const ask = async <T>(url: string) => {
  const { status, body } = await read(`/integrations/udf/${url}`)
  return { status, body: body as unknown as T }
}
const token = tokens[20] as SimulatedToken
const launch = timeOf(token.block)
const now = timeOf(HEAD)
const history = async (query: string, symbol = token.address) =>
  (await ask<History>(`history?symbol=${symbol}&${query}`)).body
const steps = { 1: 60, 5: 300, 15: 900, 30: 1_800, 60: 3_600, 240: 14_400, '1D': 86_400 }

t.test('the configuration lists every resolution and capability', async (t) => {
  const { body } = await ask<Record<string, unknown>>('config')
  t.same(body.supported_resolutions, ['1S', '5S', '15S', '1', '5', '15', '30', '60', '240', '1D'])
  t.same(body.symbols_types, [
    { name: 'Token', value: 'crypto' },
    { name: 'Market cap', value: 'fundamental' },
  ])
  t.match(body, { supports_search: true, supports_group_request: false, supports_marks: true, supports_time: true })
  t.not(body.supports_search, body.supports_group_request, 'one of the two, as the protocol demands')
})

t.test('a symbol has every field that the library needs, and its ticker finds it again', async (t) => {
  const { body } = await ask<Record<string, unknown>>(`symbols?symbol=${token.address.replace('ce', 'CE')}`)
  t.match(body, {
    name: `${token.symbol}/ETH`,
    ticker: token.address,
    description: token.name,
    type: 'crypto',
    session: '24x7',
    timezone: 'Etc/UTC',
    minmov: 1,
    has_intraday: true,
    has_daily: true,
    has_weekly_and_monthly: false,
    currency_code: 'ETH',
    listed_exchange: 'Slipway',
    exchange: 'Slipway',
    has_seconds: true,
    seconds_multipliers: ['1', '5', '15'],
    intraday_multipliers: ['1', '5', '15', '30', '60', '240'],
    supported_resolutions: ['1S', '5S', '15S', '1', '5', '15', '30', '60', '240', '1D'],
  })
  t.same((await ask(`symbols?symbol=${body.ticker}`)).body, body)
  const usd = await ask<Record<string, unknown>>(`symbols?symbol=${token.address}:usd`)
  t.match(usd.body, { name: `${token.symbol}/USD`, ticker: `${token.address}:USD`, currency_code: 'USD' })
  const capitalisation = await ask<Record<string, unknown>>(`symbols?symbol=${token.address}:mc`)
  t.match(capitalisation.body, {
    name: `${token.symbol}/MC`,
    ticker: `${token.address}:MC`,
    description: `${token.name} market cap`,
    type: 'fundamental',
    currency_code: 'USD',
  })
})

t.test('the price scale keeps eight digits of the smallest price, and cents of the largest', async (t) => {
  const scaleOf = (price: number, launch_price: number, currency: 'native' | 'usd' | 'marketCapUsd' = 'native') =>
    findPriceScale({ price, launch_price, launch_price_usd: null, native_usd: '3000', supply: 1e9 }, currency)
  t.equal(scaleOf(4.19e-8, 4.19e-8), 1e15)
  t.equal((4.1912345e-8).toFixed(15), '0.000000041912345')
  t.equal(scaleOf(1, 1.25e-9), 1e16, 'the lower of the two')
  t.equal(scaleOf(1e-30, 1), 1e18)
  t.equal(scaleOf(5e11, 5e11), 100)
  t.equal(scaleOf(4.19e-8, 1, 'usd'), 1e11)
  t.equal(scaleOf(4.19e-8, 1, 'marketCapUsd'), 100)
  t.equal(scaleOf(1.25e-9, 1, 'marketCapUsd'), 1e4, 'a market cap of 3,750 US dollars')
  t.equal(scaleOf(0, 0), 1e18)
  for (const { address, index } of tokens) {
    if (HIDDEN.includes(index)) continue
    const { body } = await ask<{ pricescale: number }>(`symbols?symbol=${address}`)
    const { c } = await history('resolution=1D&to=9999999999&countback=10', address)
    t.ok(c.length > 0, address)
    for (const price of c) t.ok(Math.abs(Math.round(price * body.pricescale) / body.pricescale / price - 1) < 1e-6)
  }
})

for (const [resolution, step] of Object.entries(steps)) {
  t.test(`resolution ${resolution}: bars from the launch to now, without holes, that hold every trade`, async (t) => {
    const from = resolution === '1' ? now - 4_000 * 60 : 0
    const body = await history(`resolution=${resolution}&from=${from}&to=${now}`)
    t.same(findProblems(body, { from, to: now }), [])
    t.equal(body.t[0], launch - (launch % step))
    t.equal(body.t.at(-1), now - (now % step))
    t.equal(body.t.length, (now - (now % step) - (launch - (launch % step))) / step + 1)
    const volume = token.trades.reduce((total, { quoteAmount }) => total + Number(quoteAmount) / 1e18, 0)
    t.ok(Math.abs(body.v.reduce((a, b) => a + b, 0) / volume - 1) < 1e-9)
    t.ok(body.t.every((time) => time % step === 0))
  })
}

t.test('resolution D equals 1D', async (t) => {
  t.same(await history('resolution=D&from=0&to=9999999999'), await history('resolution=1D&from=0&to=9999999999'))
})

t.test('from and to are inclusive', async (t) => {
  const all = await history('resolution=15&from=0&to=9999999999')
  const part = await history(`resolution=15&from=${all.t[10]}&to=${all.t[13]}`)
  t.same(part.t, all.t.slice(10, 14))
  t.same(part.o, all.o.slice(10, 14))
  const inside = await history(`resolution=15&from=${(all.t[10] as number) + 1}&to=${(all.t[13] as number) + 899}`)
  t.same(inside.t, all.t.slice(11, 14))
})

t.test('countback overrides from and ends at to', async (t) => {
  const all = await history('resolution=5&from=0&to=9999999999')
  const part = await history(`resolution=5&from=${now}&to=${all.t[99]}&countback=7`)
  t.same(part.t, all.t.slice(93, 100))
  t.same(part.c, all.c.slice(93, 100))
  t.same(
    (await history('resolution=5&from=0&to=9999999999&countback=3')).t,
    all.t.slice(-3),
    'to may lie in the future',
  )
  t.same(
    (await history(`resolution=5&to=${all.t[4]}&countback=300`)).t,
    all.t.slice(0, 5),
    'there is nothing before the launch',
  )
})

t.test('pages requested backwards join to the whole series', async (t) => {
  const all = await history('resolution=30&from=0&to=9999999999')
  const times: number[] = []
  let to = now
  for (;;) {
    const page = await history(`resolution=30&to=${to}&countback=11`)
    if (page.s === 'no_data') {
      t.notOk('nextTime' in page, 'before the launch there is nothing to go back to')
      break
    }
    times.unshift(...page.t)
    to = (page.t[0] as number) - 1
  }
  t.same(times, all.t)
})

t.test('a range after the last bar is no_data with the time of that bar', async (t) => {
  const body = await history(`resolution=60&from=${now + 100_000}&to=${now + 200_000}`)
  t.same(body, { s: 'no_data', nextTime: now - (now % 3600) })
})

for (const [resolution, step] of Object.entries(steps)) {
  t.test(
    `resolution ${resolution}: a range between two bars is no_data with the time of the earlier one`,
    async (t) => {
      const first = launch - (launch % step)
      for (const bar of [first, first + step, now - (now % step)]) {
        t.same(await history(`resolution=${resolution}&from=${bar + 1}&to=${bar + step - 1}`), {
          s: 'no_data',
          nextTime: bar,
        })
      }
      t.same(await history(`resolution=${resolution}&from=${first - step + 1}&to=${first - 1}`), { s: 'no_data' })
      t.same(await history(`resolution=${resolution}&to=${first - 1}&countback=3`), { s: 'no_data' })
      const future = await history(`resolution=${resolution}&from=${now + 10 * step}&to=${now + 20 * step}`)
      t.same(future, { s: 'no_data', nextTime: now - (now % step) })
    },
  )
}

t.test('a range before the launch is no_data without a time', async (t) => {
  t.same(await history(`resolution=60&from=0&to=${launch - 100_000}`), { s: 'no_data' })
})

t.test('a response has at most the last five thousand bars', async (t) => {
  const long = tokens[0] as SimulatedToken
  await db.updateTable('tokens').set({ block_time: 1_900_000_000 }).where('address', '=', long.address).execute()
  const body = await history('resolution=1&from=0&to=9999999999', long.address)
  t.equal(body.t.length, 5_000)
  t.equal(body.t.at(-1), now - (now % 60))
  await db
    .updateTable('tokens')
    .set({ block_time: timeOf(long.block) })
    .where('address', '=', long.address)
    .execute()
})

t.test('US dollar prices use the price feed; without a feed there is no data', async (t) => {
  const native = await history('resolution=60&from=0&to=9999999999')
  const usd = await history('resolution=60&from=0&to=9999999999', `${token.address}:USD`)
  t.same(findProblems(usd, { from: 0, to: now }), [])
  t.same(usd.t, native.t)
  t.ok(usd.c.length > 0)
  for (const [at, close] of usd.c.entries()) t.ok(Math.abs(close / (native.c[at] as number) / 3000 - 1) < 1e-9)
  const other = tokenAddress(21)
  await db.updateTable('blocks').set({ quote_usd: null }).where('number', '=', 2101).execute()
  await db
    .updateTable('candles')
    .set({ open_usd: null, high_usd: null, low_usd: null, close_usd: null })
    .where('token_id', '=', (query) => query.selectFrom('tokens').select('id').where('address', '=', other))
    .execute()
  t.equal((await history('resolution=60&from=0&to=9999999999', `${other}:USD`)).s, 'no_data')
  const later = `resolution=60&from=${now + 100_000}&to=${now + 200_000}`
  t.same(await history(later, `${other}:USD`), { s: 'no_data' }, 'and no earlier bar to return to')
  t.equal((await history('resolution=60&from=0&to=9999999999', other)).s, 'ok')
})

t.test('while the feed has no price, no_data names the last bar that had one', async (t) => {
  const other = tokenAddress(22)
  const usd = `${other}:USD`
  const all = await history('resolution=60&from=0&to=9999999999', usd)
  const id = db.selectFrom('tokens').select('id').where('address', '=', other)
  const candles = await db
    .selectFrom('candles')
    .select('bucket')
    .where('token_id', '=', id)
    .where('resolution', '=', 3_600)
    .orderBy('bucket')
    .execute()
  const unpriced = candles.at(-2)!.bucket
  await db
    .updateTable('candles')
    .set({ open_usd: null, high_usd: null, low_usd: null, close_usd: null })
    .where('token_id', '=', id)
    .where('bucket', '>=', unpriced)
    .execute()
  const nothing = { s: 'no_data', nextTime: unpriced - 3_600 }
  t.ok(all.t.includes(nothing.nextTime))
  t.same(await history('resolution=60&to=9999999999&countback=1', usd), nothing)
  t.same(await history(`resolution=60&from=${unpriced}&to=${now}`, usd), nothing)
  t.same(await history(`resolution=60&from=${now + 100_000}&to=${now + 200_000}`, usd), nothing)
  t.equal((await history(`resolution=60&to=${nothing.nextTime}&countback=1`, usd)).t[0], nothing.nextTime)
  await db
    .updateTable('candles')
    .set({ open_usd: null, high_usd: null, low_usd: null, close_usd: null })
    .where('token_id', '=', id)
    .execute()
  const launched = await history('resolution=60&to=9999999999&countback=1', usd)
  t.same(
    launched,
    { s: 'no_data', nextTime: candles[0]!.bucket - 3_600 },
    'the launch price holds until the first trade',
  )
})

t.test('for any candle, no bar without positive prices is returned', async (t) => {
  const odd = [null, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 4.19e-8]
  const rest = { volumeNative: '1', volumeQuote: '1', volumeUsd: null, trades: 1 }
  let time = 0
  const candles = odd.flatMap((open) =>
    odd.flatMap((high) =>
      odd.flatMap((low) => odd.map((close) => ({ time: ++time, open, high, low, close, ...rest }))),
    ),
  )
  for (const currency of ['native', 'usd', 'marketCapUsd'] as const) {
    const bars = buildBars(candles, currency)
    t.equal(bars?.t.length, 1)
    t.same(findProblems(bars as History, { from: 1, to: time }), [])
  }
})

t.test('search matches name, symbol and address; without a query it returns the most traded', async (t) => {
  const { body } = await ask<Found[]>('search?query=tidal&limit=30')
  t.ok(body.length > 0)
  for (const { ticker, symbol } of body) {
    t.match(symbol, /\/ETH$/)
    t.equal(
      (await ask<{ ticker: string }>(`symbols?symbol=${ticker}`)).body.ticker,
      ticker,
      'what is found can be charted',
    )
  }
  t.equal((await ask<Found[]>(`search?query=${token.address}`)).body[0]?.ticker, token.address)
  const shown = body[0]!
  const inDollars = shown.symbol.replace(/ETH$/, 'USD')
  const capitalisation = shown.symbol.replace(/ETH$/, 'MC')
  for (const [query, name, ticker] of [
    [shown.symbol, shown.symbol, shown.ticker],
    [shown.full_name, shown.symbol, shown.ticker],
    [inDollars, inDollars, `${shown.ticker}:USD`],
    [`slipway:${inDollars.toLowerCase()}`, inDollars, `${shown.ticker}:USD`],
    [capitalisation, capitalisation, `${shown.ticker}:MC`],
  ]) {
    const found = (await ask<Found[]>(`search?query=${encodeURIComponent(query!)}`)).body
    t.ok(
      found.some((one) => one.symbol === name && one.ticker === ticker && one.full_name === `Slipway:${name}`),
      `${query} finds itself`,
    )
    t.equal((await ask<{ name: string }>(`symbols?symbol=${ticker}`)).body.name, name)
  }
  t.equal((await ask<Found[]>('search?query=&limit=4&type=crypto&exchange=slipway')).body.length, 4)
  t.same((await ask<Found[]>('search?query=tidal&exchange=NYSE')).body, [])
  t.same((await ask<Found[]>('search?query=tidal&type=stock')).body, [])
  const capitalisations = (await ask<(Found & { type: string })[]>('search?query=tidal&type=fundamental')).body
  t.equal(capitalisations.length, body.slice(0, 30).length)
  for (const { type, ticker } of capitalisations) t.same([type, ticker.slice(42)], ['fundamental', ':MC'])
  t.same((await ask<Found[]>(`search?query=${capitalisation}&type=crypto`)).body, [])
})

t.test('hidden tokens are unknown', async (t) => {
  for (const index of HIDDEN) {
    const symbol = tokenAddress(index)
    const failure = { status: 404, body: { s: 'error', errmsg: 'unknown_symbol' } }
    t.same(await ask(`symbols?symbol=${symbol}`), failure)
    t.same(await ask(`history?symbol=${symbol}&resolution=1&from=0&to=1`), failure)
    t.same(await ask(`marks?symbol=${symbol}&resolution=1&from=0&to=1`), failure)
    t.same((await ask(`search?query=${symbol}`)).body, [])
  }
})

t.test('marks are launch and graduation at their bars, as columns of equal length', async (t) => {
  const graduated = tokens[5] as SimulatedToken
  const { body } = await ask<Record<string, unknown[]>>(
    `marks?symbol=${graduated.address}&resolution=15&from=0&to=${now}`,
  )
  const bars = await history('resolution=15&from=0&to=9999999999', graduated.address)
  t.same(body.label, ['L', 'G'])
  for (const column of Object.values(body)) t.equal(column.length, 2)
  for (const time of body.time as number[]) t.ok(bars.t.includes(time))
  t.same((await ask<{ id: number[] }>(`marks?symbol=${graduated.address}&resolution=15&from=0&to=1`)).body.id, [])
})

t.test('the time is plain text', async (t) => {
  const response = await app.inject('/api/integrations/udf/time')
  t.match(response.headers['content-type'], 'text/plain')
  t.match(response.body, /^\d{10}$/)
  t.ok(Math.abs(Number(response.body) - Date.now() / 1000) < 60)
})

const symbol = token.address
const bad: [url: string, error: string][] = [
  ['symbols', 'query.symbol is required'],
  [
    'symbols?symbol=AAPL',
    'query.symbol must be a ticker of this feed: an address, or an address with :USD or :MC after it',
  ],
  [
    `symbols?symbol=${symbol}:EUR`,
    'query.symbol must be a ticker of this feed: an address, or an address with :USD or :MC after it',
  ],
  [
    `history?symbol=${symbol}&resolution=2&from=0&to=1`,
    'query.resolution must be one of 1S, 5S, 15S, 1, 5, 15, 30, 60, 240, 1D, D',
  ],
  [`history?symbol=${symbol}&resolution=1&from=2&to=1`, 'query.from must not be after query.to'],
  [`history?symbol=${symbol}&resolution=1&to=1`, 'query.from is required'],
  [`history?symbol=${symbol}&resolution=1&from=0`, 'query.to is required'],
  [`history?symbol=${symbol}&resolution=1&to=1&countback=0`, 'query.countback must be >= 1'],
  ['search?limit=101', 'query.limit must be <= 100'],
  ['search?query=%00', 'query.query must not contain control characters'],
]
for (const [url, errmsg] of bad) {
  t.test(`${url} is 400, with an error in the format of the protocol`, async (t) => {
    t.same(await ask(url), { status: 400, body: { s: 'error', errmsg } })
  })
}
