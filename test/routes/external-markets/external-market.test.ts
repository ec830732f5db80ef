import type { Static } from '@sinclair/typebox'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import t from 'tap'
import type { Database } from '../../../db/schema.ts'
import type { ExternalMarket } from '../../../schemas/external-markets.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createConformityCheck } from '../../support/conformity.ts'
import { geckoNotFound, geckoToken, POOL, POOL_ID, playGecko, USDC, WETH } from '../../support/gecko-terminal.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { tokenAddress } from '../../support/market-simulation.ts'
import { answer, startThirdParty, stayMute } from '../../support/third-party.ts'

type Data = Static<typeof ExternalMarket>

// The clock that the app reads; it is moved instead of waited for.
const realNow = Date.now
let passed = 0
Date.now = () => realNow() + passed

const url = `/market/external/${USDC}`
const failure = (error: string) => ({ success: false, data: null, error })

/** A database in which nothing was launched, and that can be taken away. */
let databaseIsDown = false
class Driver extends DummyDriver {
  override async acquireConnection() {
    if (databaseIsDown) throw Object.assign(new Error('db.internal:5432'), { code: 'ECONNREFUSED' })
    return super.acquireConnection()
  }
}
const db = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new Driver(),
    createIntrospector: (of) => new PostgresIntrospector(of),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const provider = await startThirdParty(t, playGecko())
const config = testConfig({ MARKET_DATA_URL: provider.url, MARKET_DATA_TIMEOUT_MS: '2500' })
const { app } = await createTestApp({ config, services: { db } })
t.teardown(() => app.close())
const check = createConformityCheck(app)

async function read(path = url) {
  const response = await app.inject(path)
  const [status, body] = [response.statusCode, response.json() as { data: Data; error?: string }]
  const problem = check({ method: 'GET', url: path, status, body })
  if (problem !== null) throw new Error(problem)
  return { status, body, headers: response.headers }
}

// Nothing is kept any more, and a breaker that is open lets a probe through.
t.beforeEach(() => {
  passed += 3_600_000
  provider.received.length = 0
  provider.act(playGecko())
})

t.test('the market of a token that was not launched here, at both mounts, by one upstream request', async (t) => {
  const { status, body } = await read()
  t.equal(status, 200)
  const { fetchedAt, ...data } = body.data
  t.ok(Math.abs(Date.parse(fetchedAt) - Date.now()) < 60_000)
  t.same(data, {
    address: USDC,
    name: 'USD Coin',
    symbol: 'USDC',
    decimals: 6,
    totalSupply: '51200000000000000',
    imageUrl: 'https://coin-images.coingecko.com/coins/images/6319/large/usdc.png?1769615602',
    priceUsd: 0.9998,
    marketCapUsd: 51_190_000_000,
    fdvUsd: 51_190_000_000.5,
    liquidityUsd: 512_000_000.5,
    volumeUsd24h: 1_200_000_000.25,
    priceChangePct: { m5: 0, h1: -0.012, h24: -0.02 },
    pools: [POOL, POOL_ID].map((address) => ({
      address,
      dex: 'uniswap_v3',
      name: 'USDC / WETH 0.05%',
      baseToken: address === POOL ? USDC : WETH,
      quoteToken: address === POOL ? WETH : USDC,
      liquidityUsd: 120_000_000.1234,
      volumeUsd24h: 310_000_000.75,
      createdAt: '2021-12-29T12:35:14.000Z',
    })),
    network: 'eth',
    source: 'GeckoTerminal',
    stale: false,
  })
  t.same((await read(`/api${url.replace('0xa0b8', '0xA0B8')}`)).body, body)
  t.match(provider.received, [
    {
      method: 'GET',
      path: `/networks/eth/tokens/${USDC}`,
      query: { include: 'top_pools' },
      headers: { accept: 'application/json;version=20230302' },
    },
  ])
  t.equal(provider.received.length, 1)
})

t.test('fields unknown to the provider are null', async (t) => {
  const unknown = ['name', 'decimals', 'total_supply', 'price_usd', 'fdv_usd', 'market_cap_usd', 'volume_usd']
  const { data } = geckoToken(USDC, {
    ...Object.fromEntries(unknown.map((name) => [name, null])),
    symbol: ' \u202eCDSU\n\u0000 ',
    image_url: 'missing.png',
    total_reserve_in_usd: undefined,
  })
  provider.act(playGecko({ data: { ...data, relationships: {} } }))
  t.match((await read()).body.data, {
    name: null,
    symbol: 'CDSU',
    decimals: null,
    totalSupply: null,
    imageUrl: null,
    priceUsd: null,
    marketCapUsd: null,
    fdvUsd: null,
    liquidityUsd: null,
    volumeUsd24h: null,
    priceChangePct: { m5: null, h1: null, h24: null },
    pools: [],
  })
})

t.test('price changes are of the token, not of the other side of its pool', async (t) => {
  const token = geckoToken()
  token.data.relationships.top_pools.data.reverse()
  provider.act(playGecko(token))
  const { data } = (await read()).body
  t.equal(data.pools[0]?.address, POOL_ID)
  t.same(data.priceChangePct, { m5: null, h1: null, h24: null })
})

t.test('a token unknown to the provider is 404, which is cached as well', async (t) => {
  provider.act(geckoNotFound)
  for (let i = 0; i < 3; i++) t.match(await read(), { status: 404, body: failure(`No market known for ${USDC}`) })
  t.equal(provider.received.length, 1)
})

t.test('an address launched here is 409 with its path, without an upstream request', async (t) => {
  const market = await createMarketApp(t, { MARKET_DATA_URL: provider.url })
  const address = tokenAddress(7)
  for (const path of ['', '/chart']) {
    const { status, body } = await market.read(`/market/external/0x${address.slice(2).toUpperCase()}${path}`)
    t.equal(status, 409)
    t.same(body, failure(`This token was launched here; see /tokens/${address}`))
  }
  t.equal(provider.received.length, 0)
  t.equal((await market.read(url)).status, 200)
})

t.test('an invalid address is 400', async (t) => {
  for (const bad of ['0x12', 'usdc', `${USDC}0`]) {
    const { status, body } = await read(`/market/external/${bad}`)
    t.equal(status, 400)
    t.same(body, failure('path.address must be a 0x-prefixed address of 20 bytes in hexadecimal'))
  }
})

t.test('a failing provider is 502, a hanging one 504', async (t) => {
  provider.act(answer({ errors: [{ title: 'secret things' }] }, 500))
  t.match(await read(), { status: 502, body: failure('The market data provider failed') })
  provider.act(stayMute)
  t.match(await read(), { status: 504, body: failure('The market data provider did not answer in time') })
})

t.test('a rate limit of the provider is 502 with Retry-After', async (t) => {
  provider.act(answer('', 429, { 'retry-after': '12' }))
  t.match(await read(), { status: 502, headers: { 'retry-after': '12', 'cache-control': 'no-store' } })
})

t.test('without the database it is 503, because the token may have been launched here', async (t) => {
  databaseIsDown = true
  t.teardown(() => {
    databaseIsDown = false
  })
  for (const path of [url, `${url}/chart`])
    t.match(await read(path), { status: 503, body: failure('The database is unavailable') })
  t.equal(provider.received.length, 0)
})

t.test('concurrent requests share one upstream request', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  provider.act((...args) => void released.then(() => playGecko()(...args)))
  const reads = Array.from({ length: 30 }, (_, i) => read(i % 2 ? url : `/api${url}`))
  setImmediate(release)
  for (const { status } of await Promise.all(reads)) t.equal(status, 200)
  t.equal(provider.received.length, 1)
})

t.test('after 30 seconds stale data is returned at once and refreshed in the background', async (t) => {
  const first = await read()
  provider.act(playGecko(geckoToken(USDC, { price_usd: '1.0002' })))
  passed += 25_000
  t.same((await read()).body, first.body)
  passed += 5_000
  t.same((await read()).body.data, { ...first.body.data, stale: true })
  let now = await read()
  while (now.body.data.stale) {
    // Injected requests alone would never let the event loop come to the provider's answer.
    await new Promise(setImmediate)
    now = await read()
  }
  t.match(now.body.data, { priceUsd: 1.0002, stale: false })
  t.ok(Date.parse(now.body.data.fetchedAt) >= Date.parse(first.body.data.fetchedAt) + 30_000)
  t.equal(provider.received.length, 2)
})

t.test('while the provider is down stale data is returned for ten minutes', async (t) => {
  const first = await read()
  provider.act(answer('', 500))
  passed += 595_000
  for (let i = 0; i < 10; i++) t.same((await read()).body.data, { ...first.body.data, stale: true })
  passed += 5_000
  t.match(await read(), { status: 502 })
})

t.test('a response can be revalidated', async (t) => {
  const { headers } = await read()
  const again = await app.inject({ url, headers: { 'if-none-match': headers.etag as string } })
  t.equal(again.statusCode, 304)
})
