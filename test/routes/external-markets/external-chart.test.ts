import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { intervals } from '../../../schemas/chart.ts'
import type { ExternalChart } from '../../../schemas/external-markets.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createConformityCheck } from '../../support/conformity.ts'
import { geckoCandles, geckoNotFound, geckoToken, POOL, playGecko, USDC } from '../../support/gecko-terminal.ts'
import { type Act, answer, startThirdParty, stayMute } from '../../support/third-party.ts'

type Data = Static<typeof ExternalChart>

// The clock that the app reads; it is moved instead of waited for.
const realNow = Date.now
let passed = 0
Date.now = () => realNow() + passed

const url = `/market/external/${USDC}/chart`
const START = 1_795_219_200
const rows = [
  [START + 10_800, 1.1, 1.3, 1.05, 1.2, 400.5],
  [START + 3_600, 1, 1.2, 0.9, 1.1, 300.25],
  [START, 0.95, 1.05, 0.9, 1, 200],
]

const provider = await startThirdParty(t, playGecko())
const config = testConfig({ MARKET_DATA_URL: provider.url, MARKET_DATA_TIMEOUT_MS: '2500' })
const { app } = await createTestApp({ config })
t.teardown(() => app.close())
const check = createConformityCheck(app)

async function read(path = url) {
  const response = await app.inject(path)
  const [status, body] = [response.statusCode, response.json() as { data: Data; error?: string }]
  const problem = check({ method: 'GET', url: path, status, body })
  if (problem !== null) throw new Error(problem)
  return { status, body }
}

const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })

/** The market as it is, and a chart of the test's own. */
const chart =
  (act: Act): Act =>
  (response, request) =>
    request.path.includes('/ohlcv/') ? act(response, request) : playGecko()(response, request)

// Nothing is kept any more, and a breaker that is open lets a probe through.
t.beforeEach(() => {
  passed += 3_600_000
  provider.received.length = 0
  provider.act(playGecko(geckoToken(), rows))
})

t.test('candles of the token’s first pool, ascending and without gaps, at both mounts', async (t) => {
  const { status, body } = await read()
  t.equal(status, 200)
  const { fetchedAt, ...data } = body.data
  t.ok(Math.abs(Date.parse(fetchedAt) - Date.now()) < 60_000)
  t.same(data, {
    address: USDC,
    interval: '1h',
    currency: 'usd',
    candles: [
      { time: START, open: 0.95, high: 1.05, low: 0.9, close: 1, volumeUsd: 200 },
      { time: START + 3_600, open: 1, high: 1.2, low: 0.9, close: 1.1, volumeUsd: 300.25 },
      { time: START + 7_200, open: 1.1, high: 1.1, low: 1.1, close: 1.1, volumeUsd: 0 },
      { time: START + 10_800, open: 1.1, high: 1.3, low: 1.05, close: 1.2, volumeUsd: 400.5 },
    ],
    network: 'eth',
    source: 'GeckoTerminal',
    stale: false,
  })
  t.same((await read(`/api${url}?interval=1h`)).body, body)
  t.equal(provider.received.length, 2, 'the market, for its pool, and the chart')
})

const asked: Record<keyof typeof intervals, [path: string, aggregate: string, limit: string]> = {
  '1m': ['minute', '1', '300'],
  '5m': ['minute', '5', '300'],
  '15m': ['minute', '15', '300'],
  '30m': ['minute', '15', '600'],
  '1h': ['hour', '1', '300'],
  '4h': ['hour', '4', '300'],
  '1d': ['day', '1', '300'],
}
for (const [interval, [unit, aggregate, limit]] of Object.entries(asked)) {
  t.test(`interval=${interval} is translated for the provider`, async (t) => {
    await read(`/market/external/${USDC}`)
    const step = intervals[interval as keyof typeof intervals]
    const start = START - (START % step)
    provider.act(
      playGecko(geckoToken(), [
        [start + step, 2, 2, 2, 2, 1],
        [start, 1, 1, 1, 1, 1],
      ]),
    )
    const { body } = await read(`${url}?interval=${interval}`)
    t.equal(body.data.interval, interval)
    t.same(
      body.data.candles.map(({ time }) => time),
      [start, start + step],
    )
    t.match(provider.received[1], {
      path: `/networks/eth/pools/${POOL}/ohlcv/${unit}`,
      query: { aggregate, limit, currency: 'usd', token: USDC },
    })
  })
}

t.test('a token without a pool, and a pool without a chart, have no candles', async (t) => {
  provider.act(answer({ data: { ...geckoToken().data, relationships: {} } }))
  t.match(await read(), { status: 200, body: { data: { candles: [] } } })
  t.equal(provider.received.length, 1)
  passed += 3_600_000
  provider.act(chart(answer({ errors: [{ status: '422' }] }, 422)))
  t.same((await read()).body.data.candles, [])
  passed += 3_600_000
  provider.act(chart(geckoNotFound))
  t.same((await read()).body.data.candles, [])
})

t.test('a token unknown to the provider is 404', async (t) => {
  provider.act(geckoNotFound)
  t.match(await read(), failure(404, `No market known for ${USDC}`))
})

t.test('an invalid candle is 502', async (t) => {
  const bad = [
    [[START, 1, 1, 1, 1]],
    [[START, 1, 1, 1, '1', 1]],
    [[START, 1, 1, -1, 1, 1]],
    [[START, null, 1, 1, 1, 1]],
    [[START + 0.5, 1, 1, 1, 1, 1]],
    [[1e12, 1, 1, 1, 1, 1]],
    Array.from({ length: 1_001 }, (_, i) => [START + i * 3_600, 1, 1, 1, 1, 1]),
    'none',
  ]
  for (const list of bad) {
    passed += 3_600_000
    provider.act(chart(answer(geckoCandles(list as unknown[]))))
    t.match(await read(), failure(502, 'The market data provider failed'))
  }
})

t.test('a failing provider is 502, a hanging one 504', async (t) => {
  provider.act(chart(answer('', 500)))
  t.match(await read(), failure(502, 'The market data provider failed'))
  provider.act(chart(stayMute))
  t.match(await read(), failure(504, 'The market data provider did not answer in time'))
})

t.test('while the provider is down cached candles are returned', async (t) => {
  const first = await read()
  provider.act(answer('', 500))
  passed += 590_000
  t.same((await read()).body.data, { ...first.body.data, stale: true })
})

t.test('an invalid interval or address is 400', async (t) => {
  const names = Object.keys(intervals).join(', ')
  for (const bad of ['2m', '', '1w'])
    t.match(await read(`${url}?interval=${bad}`), { status: 400, body: { error: /^query\.interval must be / } })
  t.match(await read(`${url}?interval=1h&interval=1h`), failure(400, 'query.interval must not be given twice'))
  t.match(await read(`${url}?interval=2m`), failure(400, `query.interval must be one of ${names}`))
  t.match(await read('/market/external/0x1/chart'), { status: 400, body: { error: /^path\.address must be / } })
})
