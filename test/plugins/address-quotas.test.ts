import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { AppError } from '../../errors.ts'
import type { Cache } from '../../lib/cache/cache.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { parseScrape, readValue } from '../support/scrape.ts'

const [alice, bob] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`] as const

async function open(t: Test, env: Record<string, string> = {}, cache?: Cache) {
  const config = testConfig({ RATE_LIMITS: 'on', ...env })
  const { app } = await createTestApp({ config, ...(cache && { services: { cache } }) })
  t.teardown(() => app.close())
  const ask = (url: string, options: InjectOptions = {}) => app.inject({ url, ...options })
  const as = (wallet: string) => ({ authorization: `Bearer ${app.issueToken(wallet)}` })
  return { app, ask, as }
}

t.test('wallets at one address share its quota of sign-ins', async (t) => {
  const { ask, as } = await open(t, { RATE_LIMIT_AUTH: '3/60' })
  const wallets = Array.from({ length: 4 }, (_, n) => `0x${String(n).repeat(40)}`)
  const signInAs = async (wallet: string, headers: Record<string, string>, remoteAddress = '192.0.2.1') =>
    (await ask('/auth/nonce', { method: 'POST', payload: { wallet }, headers, remoteAddress })).statusCode
  const statuses: number[] = []
  for (const wallet of wallets) statuses.push(await signInAs(wallet, as(wallet)))
  t.same(statuses, [200, 200, 200, 429])
  t.equal(await signInAs(alice, {}), 429, 'also without a token')
  t.equal(await signInAs(alice, as(alice), '192.0.2.2'), 200, 'another address has its own')
})

const shared = createMemoryCache()
for (const [storage, cache] of [
  ['this process', undefined],
  ['a shared cache', { ...shared, isShared: true }],
] as const) {
  t.test(`all requests of an address have one quota, counted in ${storage}`, async (t) => {
    const { app, ask, as } = await open(t, { RATE_LIMIT_GLOBAL: '3/60', RATE_LIMIT_ADDRESS: '5/60' }, cache)
    const remoteAddress = '192.0.2.1'
    const wallets = Array.from({ length: 3 }, (_, n) => `0x${String(n).repeat(40)}`)
    for (const [index, url] of ['/config', '/api/config', '/nowhere', '/api/config', '/config'].entries()) {
      const { statusCode, headers } = await ask(url, { remoteAddress, headers: as(wallets[index % 3]!) })
      t.equal(statusCode, url === '/nowhere' ? 404 : 200, url)
      t.equal(headers['ratelimit-policy'], '"global";q=3;w=60', 'not stated before it is exhausted')
      t.match(headers.ratelimit, new RegExp(`^"global";r=${2 - Math.floor(index / 3)};t=\\d+$`))
    }
    for (const headers of [as(bob), {}]) {
      const refused = await ask('/api/config', { remoteAddress, headers })
      t.equal(refused.statusCode, 429)
      t.equal(refused.json().error, 'Too many requests (address); back off and retry')
      t.equal(refused.headers['ratelimit-policy'], '"global";q=3;w=60, "address";q=5;w=60')
      t.match(refused.headers.ratelimit, /^"global";r=2;t=\d+, "address";r=0;t=\d+$/)
      t.match(refused.headers, { 'ratelimit-limit': '5', 'ratelimit-remaining': '0', 'retry-after': /^\d+$/ })
    }
    t.equal((await ask('/config', { remoteAddress: '192.0.2.2', headers: as(bob) })).statusCode, 200)
    const metrics = parseScrape(await app.metrics.scrape())
    const counted = readValue(metrics, 'slipway_http_requests_limited_total', { bucket: 'address' })
    t.equal(counted, 2)
  })
}

t.test('calls of the RPC proxy count by cost against the quota of the address', async (t) => {
  const { ask, as } = await open(t, { RATE_LIMIT_GLOBAL: '20/60', RATE_LIMIT_ADDRESS: '25/60' })
  const payload = Array.from({ length: 15 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_blockNumber', params: [] }))
  const send = (wallet: string) => ask('/rpc', { method: 'POST', payload, headers: as(wallet) })
  t.match((await send(alice)).headers.ratelimit, /^"global";r=5;t=\d+$/)
  const refused = await send(bob)
  t.equal(refused.statusCode, 429)
  t.match(refused.headers.ratelimit, /^"global";r=5;t=\d+, "address";r=0;t=\d+$/)
})

t.test('the quota of an address holds while the shared cache fails', async (t) => {
  const increment = async () => {
    throw new AppError('CACHE_UNAVAILABLE')
  }
  const { ask, as } = await open(
    t,
    { RATE_LIMIT_ADDRESS: '2/60' },
    { ...createMemoryCache(), isShared: true, increment },
  )
  const statuses: number[] = []
  for (const wallet of [alice, bob, alice]) statuses.push((await ask('/config', { headers: as(wallet) })).statusCode)
  t.same(statuses, [200, 200, 429])
})
