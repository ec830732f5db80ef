import { setTimeout as pause } from 'node:timers/promises'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { AppError } from '../../errors.ts'
import type { Cache } from '../../lib/cache/cache.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import { toAddressKey } from '../../lib/http/address-key.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { resolveResponse } from '../support/resolve-response.ts'
import { parseScrape, readValue } from '../support/scrape.ts'

const [alice, bob] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`] as const

async function open(t: Test, env: Record<string, string> = {}, cache?: Cache) {
  const config = testConfig({ RATE_LIMITS: 'on', ADMIN_WALLETS: alice, ...env })
  const { app, services } = await createTestApp({ config, ...(cache && { services: { cache } }) })
  t.teardown(() => app.close())
  const ask = (url: string, options: InjectOptions = {}) => app.inject({ url, ...options })
  const as = (wallet: string) => ({ authorization: `Bearer ${app.issueToken(wallet)}` })
  return { app, ask, as, cache: services.cache }
}

t.test('the quota headers count down to a 429 with Retry-After', async (t) => {
  const { ask } = await open(t, { RATE_LIMIT_GLOBAL: '3/60' })
  for (const remaining of [2, 1, 0]) {
    const { statusCode, headers } = await ask('/config')
    t.equal(statusCode, 200)
    t.equal(headers['ratelimit-policy'], '"global";q=3;w=60')
    t.match(headers.ratelimit, new RegExp(`^"global";r=${remaining};t=\\d+$`))
    t.match(headers, { 'ratelimit-limit': '3', 'ratelimit-remaining': String(remaining) })
  }
  for (const attempt of ['first', 'second']) {
    const { statusCode, headers, body } = await ask('/config')
    t.equal(statusCode, 429, attempt)
    t.same(JSON.parse(body), {
      success: false,
      data: null,
      error: 'Too many requests (global); back off and retry',
    })
    t.match(headers.ratelimit, /^"global";r=0;t=\d+$/)
    const seconds = Number(headers['retry-after'])
    t.ok(seconds > 0 && seconds <= 60)
    t.equal(Number(headers['ratelimit-reset']), seconds)
    t.equal(headers['access-control-allow-origin'], '*', 'a web client can read it')
    t.match(headers['access-control-expose-headers'], /retry-after.*ratelimit-remaining/)
    t.equal(headers['x-error-reason'], 'RATE_LIMITED')
  }
})

t.test('rejections are counted by operation and bucket', async (t) => {
  const { app, ask } = await open(t, { RATE_LIMIT_GLOBAL: '4/60', RATE_LIMIT_READ_HEAVY: '1/60' })
  for (let times = 0; times < 3; times++) await ask('/search?q=a')
  for (let times = 0; times < 5; times++) await ask('/api/config')
  const metrics = parseScrape(await app.metrics.scrape())
  const count = (operation: string, bucket: string) =>
    readValue(metrics, 'slipway_http_requests_limited_total', { operation, bucket })
  t.equal(count('search', 'read-heavy'), 2)
  t.equal(count('getConfig', 'global'), 4)
  t.equal(readValue(metrics, 'slipway_http_requests_limited_total'), 6)
})

t.test('the quota returns after its window', async (t) => {
  const { ask } = await open(t, { RATE_LIMIT_GLOBAL: '2/1' })
  const isGranted = async () => (await ask('/config')).statusCode === 200
  while (await isGranted());
  const refusedAt = performance.now()
  while (!(await isGranted())) {
    if (performance.now() - refusedAt > 60_000) throw new Error('It never came back')
    await pause(20)
  }
  t.pass()
})

t.test('both mounts share one quota, and so do 404s', async (t) => {
  const { ask } = await open(t, { RATE_LIMIT_GLOBAL: '4/60' })
  for (const url of ['/config', '/api/config', '/nowhere', '/api/nowhere']) t.not((await ask(url)).statusCode, 429, url)
  for (const url of ['/config', '/api/config', '/nowhere']) t.equal((await ask(url)).statusCode, 429, url)
  t.equal((await ask('/config', { method: 'DELETE' })).statusCode, 429)
})

t.test('requests without a valid token are counted by address', async (t) => {
  const { ask, as } = await open(t, { RATE_LIMIT_GLOBAL: '3/60' })
  for (const authorization of [undefined, 'Bearer a.b.c', 'Basic x']) {
    t.equal((await ask('/auth/me', { headers: authorization ? { authorization } : {} })).statusCode, 401)
  }
  t.equal((await ask('/auth/me', { headers: { authorization: 'Bearer d.e.f' } })).statusCode, 429)
  t.equal((await ask('/auth/me', { headers: as(alice) })).statusCode, 200, 'a wallet at that address has its own')
})

t.test('a wallet has one quota from all addresses, and wallets at one address have their own', async (t) => {
  const { ask, as } = await open(t, { RATE_LIMIT_GLOBAL: '2/60' })
  for (const remoteAddress of ['192.0.2.1', '192.0.2.2']) {
    t.equal((await ask('/auth/me', { headers: as(alice), remoteAddress })).statusCode, 200)
  }
  t.equal((await ask('/auth/me', { headers: as(alice), remoteAddress: '192.0.2.3' })).statusCode, 429)
  t.equal((await ask('/auth/me', { headers: as(bob), remoteAddress: '192.0.2.1' })).statusCode, 200)
})

/** An application that is taken and kept nowhere: it fills in the field that people do not see. */
const application = {
  ...{ name: 'Mira', email: 'mira@example.org', country: 'PT', homepage: 'https://spam.example.org' },
  ...{ audience: 'Cats.', motivation: 'Cats.' },
}

const txHash = `0x${'1'.repeat(64)}`
const signIn = { wallet: alice, message: 'no message of this service', signature: `0x${'1'.repeat(130)}` }
/** Valid as a request; its file is no image. */
const noImage = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nno image\r\n--x--\r\n'
const BUCKETS: [bucket: string, requests: [method: 'GET' | 'POST', url: string, payload?: object | string][]][] = [
  [
    'auth',
    [
      ['POST', '/auth/nonce', { wallet: alice }],
      ['POST', '/auth/login', signIn],
    ],
  ],
  [
    'upload',
    [
      ['POST', '/uploads/image', noImage],
      ['POST', '/uploads/metadata', { name: 'Cat', symbol: 'CAT' }],
    ],
  ],
  [
    'trade',
    [
      ['POST', '/buy', { txHash }],
      ['POST', '/sell', { txHash }],
    ],
  ],
  [
    'launch',
    [
      ['POST', '/tokens/create', { txHash }],
      ['POST', '/tokens/create', { txHash }],
    ],
  ],
  [
    'ambassador',
    [
      ['POST', '/ambassador-applications', application],
      ['POST', '/ambassador-applications', application],
    ],
  ],
  [
    'read-heavy',
    [
      ['GET', '/search?q=a'],
      ['GET', '/integrations/udf/search?query=a'],
      ['GET', '/leaderboard'],
      ['GET', `/og/token/${alice}`],
      ['GET', `/market/external/${alice}`],
      ['GET', `/market/external/${alice}/chart`],
      ['GET', `/tokens/${alice}/quote?side=buy&amount=1`],
    ],
  ],
]
for (const [bucket, requests] of BUCKETS) {
  t.test(`the bucket ${bucket} is consumed at both mounts, beside the global quota`, async (t) => {
    const variable = `RATE_LIMIT_${bucket.toUpperCase().replace('-', '_')}`
    const { ask, as } = await open(t, { [variable]: `${requests.length}/60` })
    const headersFor = (payload: object | string | undefined) => ({
      ...as(alice),
      ...(typeof payload === 'string' && { 'content-type': 'multipart/form-data; boundary=x' }),
    })
    for (const [index, [method, url, payload]] of requests.entries()) {
      const options: InjectOptions = { method, headers: headersFor(payload), ...(payload && { payload }) }
      const response = await ask(index % 2 ? `/api${url}` : url, options)
      t.not(response.statusCode, 429, url)
      const name = `"${bucket}";r=${requests.length - 1 - index};t=`
      t.match(response.headers.ratelimit, new RegExp(`^"global";r=${299 - index};t=\\d+, ${name}`), url)
      t.equal(response.headers['ratelimit-limit'], String(requests.length), 'the plain fields tell of the tighter one')
    }
    for (const [method, url, payload] of requests) {
      const { statusCode, body } = await ask(`/api${url}`, {
        method,
        headers: headersFor(payload),
        ...(payload && { payload }),
      })
      t.equal(statusCode, 429, url)
      // The chart feed has an error format of its own.
      const { error, errmsg } = JSON.parse(body)
      t.equal(error ?? errmsg, `Too many requests (${bucket}); back off and retry`)
    }
    const rest = await ask('/config', { headers: as(alice) })
    t.equal(rest.statusCode, 200, 'the rest goes on')
    t.match(rest.headers.ratelimit, `"global";r=${299 - 2 * requests.length};`)
  })
}

t.test('a rejected application consumes the global quota only', async (t) => {
  const { ask } = await open(t)
  const apply = (payload: object | string, type = 'application/json') =>
    ask('/api/ambassador-applications', { method: 'POST', payload, headers: { 'content-type': type } })
  const refused: [status: number, ...body: Parameters<typeof apply>][] = [
    [400, { ...application, email: 'mira' }],
    [400, { ...application, name: ' ' }],
    [400, '{'],
    [413, { ...application, motivation: 'x'.repeat(70_000) }],
    [415, 'name=Mira', 'application/x-www-form-urlencoded'],
  ]
  for (const [index, [status, ...body]] of refused.entries()) {
    const { statusCode, headers } = await apply(...body)
    t.equal(statusCode, status)
    t.match(headers.ratelimit, new RegExp(`^"global";r=${299 - index};t=\\d+$`))
  }
  for (const remaining of [2, 1, 0]) {
    const { statusCode, headers } = await apply(application)
    t.equal(statusCode, 200)
    t.match(headers.ratelimit, `"ambassador";r=${remaining};`)
  }
  t.equal((await apply(application)).statusCode, 429)
  t.match((await ask('/config')).headers.ratelimit, `"global";r=${299 - refused.length - 4};`)
})

t.test('a flood of rejected applications ends at the global quota', async (t) => {
  const { ask } = await open(t, { RATE_LIMIT_GLOBAL: '5/60' })
  const apply = async (payload: object) => (await ask('/ambassador-applications', { method: 'POST', payload })).json()
  for (let times = 0; times < 5; times++) t.equal((await apply({})).error, 'body.name is required')
  for (const body of [{}, application])
    t.equal((await apply(body)).error, 'Too many requests (global); back off and retry')
})

t.test('invalid and unauthorized requests consume no bucket', async (t) => {
  const { ask, as } = await open(t, { RATE_LIMIT_LAUNCH: '1/60' })
  const launch = async (payload: object, headers = as(alice)) =>
    (await ask('/tokens/create', { method: 'POST', payload, headers })).statusCode
  t.same([await launch({}), await launch({ txHash }, { authorization: 'Bearer a.b.c' })], [400, 401])
  t.not(await launch({ txHash }), 429)
  t.equal(await launch({ txHash }), 429)
})

t.test('health checks and preflights are not counted', async (t) => {
  const { ask } = await open(t, { RATE_LIMIT_GLOBAL: '1/60' })
  t.equal((await ask('/config')).statusCode, 200)
  for (const url of ['/live', '/api/live', '/ready', '/health', '/api/health']) {
    const { statusCode, headers } = await ask(url)
    t.not(statusCode, 429, url)
    t.equal(headers.ratelimit, undefined)
  }
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
  t.equal((await ask('/buy', { method: 'OPTIONS', headers })).statusCode, 204)
  t.equal((await ask('/config')).statusCode, 429)
})

t.test('a 429 of the RPC proxy is a JSON-RPC error', async (t) => {
  const { ask } = await open(t, { RATE_LIMIT_GLOBAL: '1/60' })
  await ask('/config')
  const { statusCode, headers, body } = await ask('/rpc', { method: 'POST', payload: {} })
  t.equal(statusCode, 429)
  t.match(JSON.parse(body), { jsonrpc: '2.0', id: null, error: { code: -32005 } })
  t.match(headers, { 'retry-after': /^\d+$/, 'ratelimit-remaining': '0' })
})

t.test('X-Forwarded-For counts from trusted proxies only', async (t) => {
  const { ask } = await open(t, { RATE_LIMIT_GLOBAL: '1/60', TRUST_PROXY: '10.0.0.0/8, 2001:db8:1::/48' })
  const from = async (remoteAddress: string, forwarded: string) =>
    (await ask('/config', { remoteAddress, headers: { 'x-forwarded-for': forwarded } })).statusCode

  t.equal(await from('10.0.0.1', '192.0.2.1'), 200)
  t.equal(await from('10.0.0.2', '192.0.2.1'), 429, 'one client through two proxies')
  t.equal(await from('10.0.0.1', '192.0.2.2'), 200, 'another client')
  t.equal(await from('10.0.0.1', '203.0.113.9, 192.0.2.2'), 429, 'what a client wrote before its own address')
  t.equal(await from('10.0.0.1', '192.0.2.2, 10.9.9.9'), 429, 'two proxies, one behind the other')
  t.equal(await from('10.0.0.1', '192.0.2.2:50123'), 429, 'a proxy that adds ports')
  t.equal(await from('2001:db8:1::5', '192.0.2.2'), 429, 'a proxy with IPv6')

  t.equal(await from('198.51.100.7', '192.0.2.3'), 200)
  t.equal(await from('198.51.100.7', '192.0.2.4'), 429, 'a client that makes up a new address each time')
  t.equal(await from('10.0.0.3', 'unknown'), 200)
  t.equal(await from('10.0.0.3', 'nonsense'), 429, 'what is no address is put down to the proxy')
})

t.test('quotas count IPv4 addresses whole and IPv6 by /64', async (t) => {
  const keys: [address: string | undefined, key: string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:443', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['nonsense', '198.51.100.1'],
    [undefined, '198.51.100.1'],
  ]
  for (const [address, key] of keys) t.equal(toAddressKey(address, '198.51.100.1'), key, String(address))
  t.equal(toAddressKey(undefined, undefined), 'unknown')
})

t.test(
  'while the cache is down a replica counts in memory, and after the cache has lost counts clients get no second quota',
  async (t) => {
    let isDown = false
    let asked = 0
    const memory = createMemoryCache()
    const cache: Cache = {
      ...memory,
      isShared: true,
      increment: async (key, ttlSeconds) => {
        asked++
        if (isDown) throw new AppError('CACHE_UNAVAILABLE')
        return memory.increment(key, ttlSeconds)
      },
    }
    const { ask } = await open(t, { RATE_LIMIT_GLOBAL: '1000000/60' }, cache)
    const used = async () => 1_000_000 - Number((await ask('/config')).headers['ratelimit-remaining'])
    t.same([await used(), await used()], [1, 2])
    isDown = true
    t.same([await used(), await used(), await used()], [3, 4, 5])
    asked = 0
    t.same([await used(), await used()], [6, 7])
    t.equal(asked, 0, 'a cache that fails is left alone for a while')
    isDown = false
    let last = 7
    for (const deadline = Date.now() + 60_000; asked === 0; ) {
      if (Date.now() > deadline) throw new Error('The cache was never asked again')
      const next = await used()
      t.equal(next, last + 1)
      last = next
    }
    // Counts of other processes, which this one learns of from the cache.
    for (let others = 0; others < 2 * last; others++) await memory.increment('quota:global:127.0.0.1', 60)
    t.ok((await used()) > 2 * last, 'the greater count holds')
  },
)

t.test('without a shared cache the process counts quotas in memory', async (t) => {
  const memory = createMemoryCache()
  const cache: Cache = { ...memory, increment: async () => t.fail('the cache is not asked') as never }
  const { ask } = await open(t, { RATE_LIMIT_READ_HEAVY: '2/60' }, cache)
  for (const status of [200, 200, 429, 429]) t.equal((await ask('/leaderboard')).statusCode, status)
})

t.test('with rate limits off there are no counts and no headers', async (t) => {
  const { ask } = await open(t, { RATE_LIMITS: 'off', RATE_LIMIT_GLOBAL: '1/60' })
  for (let i = 0; i < 3; i++) {
    const { statusCode, headers } = await ask('/config')
    t.equal(statusCode, 200)
    t.equal(headers.ratelimit, undefined)
  }
  t.same((await ask('/config')).json().data.limits.requests, [])
})

t.test('the configuration endpoint returns the configured quotas', async (t) => {
  const { ask } = await open(t, { RATE_LIMIT_TRADE: '7/9' })
  const { requests } = (await ask('/config')).json().data.limits
  t.same(requests, [
    { name: 'global', limit: 300, windowSeconds: 60 },
    { name: 'address', limit: 3000, windowSeconds: 60 },
    { name: 'auth', limit: 10, windowSeconds: 60 },
    { name: 'upload', limit: 10, windowSeconds: 60 },
    { name: 'trade', limit: 7, windowSeconds: 9 },
    { name: 'launch', limit: 5, windowSeconds: 60 },
    { name: 'ambassador', limit: 3, windowSeconds: 3600 },
    { name: 'read-heavy', limit: 60, windowSeconds: 60 },
  ])
})

t.test('every receipt sync has a bucket, which the OpenAPI document names', async (t) => {
  const { app } = await open(t)
  type Body = { $ref?: string; properties?: object }
  type Operation = {
    requestBody?: { content: Record<string, { schema: Body }> }
    responses: Record<string, { description: string; headers?: object }>
    'x-rate-limit-bucket'?: string
  }
  const document = app.swagger() as unknown as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Body>; responses: object }
  }
  const { paths, components } = document
  let syncs = 0
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { requestBody, responses, 'x-rate-limit-bucket': bucket } = operation
      const given = requestBody?.content['application/json']?.schema
      const body = given?.$ref ? components.schemas[given.$ref.split('/').at(-1) as string] : given
      if (body?.properties && 'txHash' in body.properties) {
        syncs++
        t.match(bucket, /^(trade|launch)$/, `${method} ${path}`)
      }
      if (bucket === 'none') continue
      const refusal = resolveResponse(document, responses['429']!)
      t.ok(refusal.headers && 'RateLimit' in refusal.headers && 'Retry-After' in refusal.headers, `${method} ${path}`)
      if (bucket) t.ok(refusal.description.includes(bucket), `${method} ${path} names its bucket`)
    }
  }
  t.ok(syncs >= 3)
})
