import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { isAppError } from '../../errors.ts'
import externalMarkets from '../../features/external-markets/index.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import cache from '../../plugins/cache.ts'
import metrics from '../../plugins/metrics.ts'
import requestRoute from '../../plugins/request-route.ts'
import { testConfig } from '../support/app.ts'
import { geckoToken, playGecko, USDC, WETH } from '../support/gecko-terminal.ts'
import { type Act, answer, breakOff, flood, hangUp, stall, startThirdParty, stayMute } from '../support/third-party.ts'

// The clock that the breaker reads; it is moved instead of waited for.
const realNow = Date.now
let passed = 0
Date.now = () => realNow() + passed

async function open(t: Test, act: Act, env: Record<string, string> = {}) {
  const provider = await startThirdParty(t, act)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(requestRoute)
  await app.register(metrics)
  await app.register(cache, { cache: createMemoryCache() })
  await app.register(externalMarkets, { config: testConfig({ MARKET_DATA_URL: provider.url, ...env }) })
  await app.ready()
  /** The market, or the reason for which there is none and the seconds to wait. */
  const ask = async (address = USDC) =>
    app.externalMarkets.getMarket(address).then(
      ({ value }) => value,
      (error: unknown) => (isAppError(error) ? [error.reason, error.retryAfter && Math.ceil(error.retryAfter)] : error),
    )
  return { app, provider, ask }
}

const bad: [what: string, act: Act][] = [
  ['status 500', answer('', 500)],
  ['status 403', answer({ status: 'forbidden' }, 403)],
  ['a redirect', answer('', 302, { location: 'http://127.0.0.1/' })],
  ['HTML', answer('<html>Just a moment...</html>')],
  ['nothing', answer('')],
  ['JSON that is cut', answer('{"data":{"id":')],
  ['null', answer('null')],
  ['another shape', answer({ data: [] })],
  ['another token', answer(geckoToken(WETH))],
  ['a figure that is a number', answer(geckoToken(USDC, { price_usd: 1 }))],
  ['a figure that is none', answer(geckoToken(USDC, { fdv_usd: 'lots' }))],
  ['a figure without end', answer(geckoToken(USDC, { price_usd: '1e999' }))],
  ['a price below zero', answer(geckoToken(USDC, { price_usd: '-1' }))],
  ['decimals that cannot be', answer(geckoToken(USDC, { decimals: 1e9 }))],
  ['a pool that is no pool', answer({ ...geckoToken(), included: [{ type: 'pool', id: 'x' }] })],
  ['an answer without end', flood],
  ['an answer that breaks off', breakOff],
  ['a connection that is closed', hangUp],
]
t.test('an invalid response of the provider is UPSTREAM_FAILED and is not cached', async (t) => {
  for (const [what, act] of bad) {
    const { ask, provider } = await open(t, act)
    t.same(await ask(), ['UPSTREAM_FAILED', undefined], what)
    provider.act(playGecko())
    t.match(await ask(), { priceUsd: 0.9998 })
  }
})

t.test('the name of a token is reduced to one line of bounded length', async (t) => {
  const name = `\u202e<b>\n${'ﷺ'.repeat(500)}\u0000`
  const { ask } = await open(t, playGecko(geckoToken(USDC, { name, image_url: 'javascript:alert(1)' })))
  t.match(await ask(), { name: `<b>${'ﷺ'.repeat(125)}`, imageUrl: null })
})

t.test('an unreachable provider is UPSTREAM_FAILED, a silent or stalled one UPSTREAM_TIMEOUT', async (t) => {
  t.same(await (await open(t, stayMute, { MARKET_DATA_URL: 'http://127.0.0.1:1' })).ask(), [
    'UPSTREAM_FAILED',
    undefined,
  ])
  const { ask, provider } = await open(t, stayMute, { MARKET_DATA_TIMEOUT_MS: '100' })
  t.same(await ask(), ['UPSTREAM_TIMEOUT', undefined])
  provider.act(stall)
  t.same(await ask(), ['UPSTREAM_TIMEOUT', undefined])
})

t.test('after five failures requests to the provider pause for 30 seconds, then one probe is sent', async (t) => {
  const { ask, provider } = await open(t, answer('', 503))
  for (let i = 0; i < 5; i++) t.same(await ask(), ['UPSTREAM_FAILED', undefined])
  const refused = await ask()
  // Of 30 seconds, less what the requests took.
  t.match(refused, ['UPSTREAM_FAILED', /^(2\d|30)$/])
  t.equal(provider.received.length, 5)
  passed += 30_000
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  provider.act((...args) => {
    arrive()
    void released.then(() => playGecko()(...args))
  })
  const probe = ask()
  await arrived
  t.same(await ask(WETH), ['UPSTREAM_FAILED', 1], 'while it is probed nobody else is let through')
  release()
  t.match(await probe, { address: USDC })
  t.equal(await ask(WETH), null, 'then all are')
})

t.test('after a 429 requests to the provider pause for its Retry-After, within bounds', async (t) => {
  const inTwoMinutes = () => new Date(Date.now() + 120_000).toUTCString()
  for (const [header, seconds] of [
    ['120', 120],
    ['0', 1],
    ['99999', 600],
    ['soon', 60],
    [inTwoMinutes, 120],
  ] as const) {
    const value = typeof header === 'string' ? header : header()
    const { ask, provider } = await open(t, answer('', 429, { 'retry-after': value }))
    const [reason, wait] = (await ask()) as [string, number]
    t.equal(reason, 'UPSTREAM_FAILED')
    t.ok(wait <= seconds && wait >= seconds - 10, value)
    provider.act(playGecko())
    passed += Math.max(0, seconds - 10) * 1000
    if (seconds > 10) t.match(await ask(), ['UPSTREAM_FAILED', Number])
    passed += 10_000
    t.match(await ask(), { address: USDC })
    t.equal(provider.received.length, 2)
  }
})

t.test('the network is that of the chain or the configured one; without one there are no markets', async (t) => {
  const node = { RPC_URL: 'http://127.0.0.1:1' }
  const base = await open(t, playGecko(), { ...node, CHAIN_ID: '8453' })
  t.equal(await base.ask(), null)
  t.match(base.provider.received, [{ path: `/networks/base/tokens/${USDC}` }])

  const given = { MARKET_DATA_NETWORK: 'some-chain', MARKET_DATA_KEY: 'k-1', ...node, CHAIN_ID: '5' }
  const named = await open(t, playGecko(), given)
  t.equal(await named.ask(), null)
  t.match(named.provider.received, [
    { path: `/networks/some-chain/tokens/${USDC}`, headers: { 'x-cg-pro-api-key': 'k-1' } },
  ])

  const unknown = await open(t, playGecko(), { ...node, CHAIN_ID: '5' })
  t.equal(await unknown.ask(), null)
  t.equal((await unknown.app.externalMarkets.getCandles(USDC, '1h')).value, null)
  t.same(unknown.provider.received, [])
})
