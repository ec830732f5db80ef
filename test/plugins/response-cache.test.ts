import { randomBytes } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { AppError } from '../../errors.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { createTestEvents } from '../support/live-events.ts'
import { parseScrape, readValue } from '../support/scrape.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

const FOREVER = Number.POSITIVE_INFINITY

/** An app with routes that respond how often they were computed, once released; `failing` makes them fail instead. */
async function setUp({ env = {}, services = {} }: { env?: Record<string, string>; services?: object } = {}) {
  const made: (() => void)[] = []
  const state = { failing: false, waiting: true }
  const live = createTestEvents(10)
  live.versions.confirm(FOREVER)
  const { app } = await createTestApp({
    config: testConfig(env),
    cacheResponses: true,
    services: { live, ...services },
    extend: (app) => {
      const response = async () => {
        const { promise, resolve } = Promise.withResolvers<void>()
        const number = made.push(resolve)
        if (state.waiting) await promise
        if (state.failing) throw new AppError('OVERLOADED', {}, { retryAfter: 1 })
        return { number }
      }
      app.get('/market', { config: { cache: ['market'] } }, response)
      app.get('/token/:address', { config: { cache: ['token'] } }, response)
      app.get('/large', { config: { cache: ['market'] } }, async () => ({ text: 'slipway '.repeat(1_000) }))
      app.get('/foreign', { config: { cache: ['market'] } }, async () => ({ text: 'Ärger 🐈' }))
      app.get('/random', { config: { cache: ['market'] } }, async () => ({
        text: randomBytes(300_000).toString('hex'),
      }))
    },
  })
  const isMade = (count: number) => waitUntil(`${count} responses are made`, () => made.length >= count, { pauseMs: 0 })
  const ask = async (url = '/market') => (await app.inject(url)).json().number as number
  let seq = live.versions.head
  const change = (...cacheTags: string[]) => live.versions.advance({ seq: ++seq, cacheTags })
  return { app, live, made, state, isMade, ask, change }
}

t.test('a response is kept until data of its cache tags changes', async (t) => {
  const { app, state, ask, change } = await setUp()
  t.teardown(() => app.close())
  state.waiting = false
  t.same([await ask(), await ask(), await ask('/token/0xa'), await ask('/token/0xb')], [1, 1, 2, 3])
  change('social', cacheTagOf('0xa'))
  t.same([await ask(), await ask('/token/0xa'), await ask('/token/0xb')], [1, 4, 3])
  change('market')
  t.same([await ask(), await ask(), await ask('/token/0xa')], [5, 5, 4])
  change('token')
  t.same([await ask('/token/0xa'), await ask('/token/0xb'), await ask()], [6, 7, 5])
})

t.test('a response that was computed while the data changed is not kept', async (t) => {
  const { app, made, isMade, ask, change } = await setUp()
  t.teardown(() => app.close())
  const slow = [ask(), ask()]
  await isMade(1)
  change('market')
  const after = [ask(), ask()]
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  t.equal(made.length, 1, 'one is computed at a time')
  made[0]?.()
  t.same(await Promise.all(slow), [1, 1])
  await isMade(2)
  made[1]?.()
  t.same(await Promise.all(after), [2, 2], 'no request gets what was read before the change that it follows')
  t.equal(await ask(), 2, 'the one that began after the change is kept')
})

t.test('requests during a computation share it while the data is the same', async (t) => {
  const { app, made, isMade, ask, change } = await setUp()
  t.teardown(() => app.close())
  const first = ask()
  await isMade(1)
  change('social')
  const second = ask()
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  made[0]?.()
  t.same(await Promise.all([first, second, ask()]), [1, 1, 1])
})

t.test('no response is kept while changes may have been missed, and none predates its request', async (t) => {
  const live = createTestEvents()
  const { app, made, isMade, ask } = await setUp({ services: { live } })
  t.teardown(() => app.close())
  const first = ask()
  await isMade(1)
  const second = [ask(), ask()]
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  made[0]?.()
  t.equal(await first, 1)
  await isMade(2)
  made[1]?.()
  t.same(await Promise.all(second), [2, 2])
  const third = ask()
  await isMade(3)
  made[2]?.()
  t.equal(await third, 3)
  live.versions.confirm(FOREVER)
  t.equal(await ask(), 3, 'once it is known that there was none, it is served again')
})

t.test('a response from a replica counts as of the last event that the replica shows', async (t) => {
  let shown = 10
  const replica = {
    readSnapshot: <T>(work: (trx: null, last: number) => Promise<T>) =>
      shown < 0 ? Promise.reject(new Error('The replica is down')) : work(null, shown),
    status: () => ({ state: 'ok', lagSeconds: 0 }),
  }
  const { app, state, ask, change } = await setUp({ services: { replica } })
  t.teardown(() => app.close())
  state.waiting = false
  change('market')
  t.same([await ask(), await ask()], [1, 2], 'it lacks the change')
  shown = 11
  t.same([await ask(), await ask()], [3, 3])
  shown = 20
  t.equal(await ask('/market?a=1'), 4)
  change('market')
  t.equal(await ask('/market?a=1'), 5, 'the memory of this process did not have the change that the replica had')
  shown = -1
  change('market')
  t.same([await ask(), await ask()], [6, 6], 'it does not answer: the primary does')
})

t.test('requests with a token are neither served from the cache nor kept', async (t) => {
  const { app, state, ask } = await setUp()
  t.teardown(() => app.close())
  state.waiting = false
  const signedIn = () => app.inject({ url: '/market', headers: { authorization: 'Bearer a.b.c' } })
  t.equal(await ask(), 1)
  const own = await signedIn()
  t.equal(own.json().number, 2)
  t.equal(own.headers['cache-control'], 'private, no-cache')
  t.equal((await signedIn()).json().number, 3)
  t.equal(await ask(), 1)
  t.equal((await app.inject({ url: '/market', headers: { authorization: '' } })).json().number, 4, 'even an empty one')
})

t.test('other URLs have other responses', async (t) => {
  const { app, state, ask } = await setUp()
  t.teardown(() => app.close())
  state.waiting = false
  t.same([await ask('/market'), await ask('/market?a=1'), await ask('/market?a=2'), await ask('/market')], [1, 2, 3, 1])
})

t.test('a cached response has the headers of a computed one, and each request its own id', async (t) => {
  const { app } = await setUp()
  t.teardown(() => app.close())
  const headers = { 'x-request-id': 'mine', origin: 'https://client.example' }
  const [first, cached] = [await app.inject({ url: '/large', headers }), await app.inject({ url: '/large', headers })]
  const { date, ...expected } = first.headers
  t.match(cached.headers, expected)
  t.same(Object.keys(cached.headers).sort(), Object.keys(first.headers).sort())
  t.equal(cached.body, first.body)
  t.equal(cached.headers['content-type'], 'application/json; charset=utf-8')
  t.equal(cached.headers['cache-control'], 'public, no-cache')
  t.equal(cached.headers['x-content-type-options'], 'nosniff')
  t.equal(cached.headers['x-request-id'], 'mine')
  t.equal(cached.headers['access-control-allow-origin'], '*')
  t.not((await app.inject('/large')).headers['x-request-id'], 'mine')
  const known = await app.inject({ url: '/large', headers: { 'if-none-match': String(cached.headers.etag) } })
  t.equal(known.statusCode, 304)
  t.equal(known.body, '')
  t.equal(known.headers.etag, cached.headers.etag)
  t.equal(known.headers['cache-control'], 'public, no-cache')
  for (const name of ['content-type', 'content-length']) t.equal(known.headers[name], undefined)
})

t.test("a response that is written without Fastify's reply has the headers of one that is not", async (t) => {
  const { app } = await setUp({ env: { RATE_LIMITS: 'on' } })
  t.teardown(() => app.close())
  // Authenticated responses are not kept; the value is not that of a token.
  const usual = await app.inject({ url: '/large', headers: { authorization: 'Basic a' } })
  const written = await app.inject('/large')
  t.ok(written.headers['ratelimit-remaining'])
  t.same(Object.keys(written.headers).sort(), Object.keys(usual.headers).sort())
  const own = ['date', 'x-request-id', 'cache-control', 'ratelimit', 'ratelimit-remaining', 'ratelimit-reset']
  for (const [name, value] of Object.entries(usual.headers))
    if (!own.includes(name)) t.equal(written.headers[name], value)
})

t.test('a cached response has CORS headers for the configured origins only', async (t) => {
  const { app } = await setUp({ env: { CORS_ORIGINS: 'https://a.example, https://b.example' } })
  t.teardown(() => app.close())
  for (const [origin, allowed] of [
    ['https://evil.example', undefined],
    ['https://a.example', 'https://a.example'],
    ['https://b.example', 'https://b.example'],
    [undefined, undefined],
  ]) {
    const { headers } = await app.inject({ url: '/large', ...(origin !== undefined && { headers: { origin } }) })
    t.equal(headers['access-control-allow-origin'], allowed)
    t.match(headers.vary, /\borigin\b/, 'other caches must keep a response for each origin')
  }
})

t.test('a response with non-ASCII text is equal when computed and when cached', async (t) => {
  const { app } = await setUp()
  t.teardown(() => app.close())
  for (const what of ['computed', 'cached']) t.same((await app.inject('/foreign')).json(), { text: 'Ärger 🐈' }, what)
})

t.test('a cached response is compressed on request, with its own ETag', async (t) => {
  const { app } = await setUp()
  t.teardown(() => app.close())
  const plain = await app.inject('/large')
  for (const [encoding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    for (const turn of ['computed', 'cached']) {
      const response = await app.inject({ url: '/large', headers: { 'accept-encoding': encoding } })
      t.equal(response.headers['content-encoding'], encoding, turn)
      t.equal(decode(response.rawPayload).toString(), plain.body)
      t.equal(response.headers['content-length'], String(response.rawPayload.length))
      t.match(response.headers.vary, /accept-encoding/)
      const etag = String(response.headers.etag)
      t.equal(etag, String(plain.headers.etag).replace(/"$/, `-${encoding}"`))
      const known = await app.inject({
        url: '/large',
        headers: { 'accept-encoding': encoding, 'if-none-match': etag },
      })
      t.equal(known.statusCode, 304)
    }
  }
  const refused = await app.inject({ url: '/large', headers: { 'accept-encoding': 'br;q=0, deflate' } })
  t.equal(refused.headers['content-encoding'], undefined)
})

t.test('concurrent requests share a failure, and the next request computes again', async (t) => {
  const { app, made, state, isMade, ask } = await setUp()
  t.teardown(() => app.close())
  state.failing = true
  const both = [app.inject('/market'), app.inject('/market')]
  await isMade(1)
  made[0]?.()
  for (const response of await Promise.all(both)) t.equal(response.statusCode, 503)
  state.failing = false
  state.waiting = false
  t.equal(await ask(), 2)
})

t.test('the memory of all responses is bounded', async (t) => {
  const { app } = await setUp({ env: { ANSWER_CACHE_MB: '8' } })
  t.teardown(() => app.close())
  const first = await app.inject('/random?0')
  t.equal((await app.inject('/random?0')).body, first.body)
  for (let url = 1; url <= 20; url++) await app.inject(`/random?${url}`)
  t.not((await app.inject('/random?0')).body, first.body, 'the least recently used went')
  const bytes = readValue(parseScrape(await app.metrics.scrape()), 'slipway_answer_cache_bytes') ?? 0
  t.ok(bytes > 4 * 1024 * 1024 && bytes <= 8 * 1024 * 1024, `${bytes} bytes`)
})

t.test('the memory of a response includes its URL, which may be longer than it', async (t) => {
  const { app, state } = await setUp()
  t.teardown(() => app.close())
  state.waiting = false
  const measure = async () => readValue(parseScrape(await app.metrics.scrape()), 'slipway_answer_cache_bytes') ?? 0
  await app.inject('/market')
  const before = await measure()
  await app.inject(`/market?x=${'x'.repeat(10_000)}`)
  t.ok((await measure()) - before > 20_000)
})

t.test('quotas and metrics count responses from the cache', async (t) => {
  const { app, state } = await setUp({ env: { RATE_LIMITS: 'on', RATE_LIMIT_GLOBAL: '3/60' } })
  t.teardown(() => app.close())
  state.waiting = false
  const responses = []
  for (let n = 0; n < 4; n++) responses.push(await app.inject('/market'))
  t.same(
    responses.map(({ statusCode, headers }) => [statusCode, headers['ratelimit-remaining']]),
    [
      [200, '2'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
    ],
  )
  const metrics = parseScrape(await app.metrics.scrape())
  const lookups = (result: string) => readValue(metrics, 'slipway_answer_cache_lookups_total', { result })
  t.same([lookups('hit'), lookups('miss')], [2, 1])
  t.equal(readValue(metrics, 'slipway_http_requests_total'), 4)
})
