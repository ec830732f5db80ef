import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { createTestApp, testConfig } from '../support/app.ts'

const { app } = await createTestApp({
  extend: (app) => {
    app.get('/large', async () => ({ text: 'slipway '.repeat(1000) }))
    app.get('/own', async (_request, reply) => {
      reply.headers({ etag: '"v7"', 'cache-control': 'public, max-age=9' })
      return { a: 1 }
    })
    app.post('/write', async () => ({ a: 1 }))
  },
})
t.teardown(() => app.close())

t.test('a read can be cached and revalidated', async (t) => {
  const first = await app.inject('/large')
  const etag = first.headers.etag as string
  t.match(etag, /^"[\w-]+"$/, 'the validator is strong')
  t.equal(first.headers['cache-control'], 'public, no-cache')
  t.equal((await app.inject('/large')).headers.etag, etag)
  for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await app.inject({ url: '/large', headers: { 'if-none-match': sent } })
    t.equal(again.statusCode, 304, sent)
    t.equal(again.body, '')
    t.equal(again.headers.etag, etag)
  }
  t.equal((await app.inject({ url: '/large', headers: { 'if-none-match': '"other"' } })).statusCode, 200)
})

t.test('HEAD returns the headers of GET', async (t) => {
  const [get, head] = await Promise.all([app.inject('/large'), app.inject({ method: 'HEAD', url: '/large' })])
  t.equal(head.statusCode, 200)
  t.equal(head.body, '')
  t.equal(head.headers.etag, get.headers.etag)
  t.equal(head.headers['content-length'], get.headers['content-length'])

  const headers = { 'if-none-match': String(head.headers.etag) }
  const known = await app.inject({ method: 'HEAD', url: '/large', headers })
  t.equal(known.statusCode, 304)
  t.equal(known.headers.etag, head.headers.etag)
  t.equal(known.headers['content-length'], undefined)
})

t.test('the ETag and Cache-Control that a route sets are kept', async (t) => {
  const answer = await app.inject('/own')
  t.equal(answer.headers.etag, '"v7"')
  t.equal(answer.headers['cache-control'], 'public, max-age=9')
  t.equal((await app.inject({ url: '/own', headers: { 'if-none-match': '"v7"' } })).statusCode, 304)
})

t.test('responses to requests with a token are private, and writes are not cached', async (t) => {
  const answer = await app.inject({ url: '/large', headers: { authorization: 'Bearer a.b.c' } })
  t.equal(answer.headers['cache-control'], 'private, no-cache')
  t.equal((await app.inject({ method: 'POST', url: '/write' })).headers['cache-control'], 'no-store')
  t.equal((await app.inject('/nowhere')).headers['cache-control'], 'no-store')
})

t.test('a large body is compressed, with its own valid ETag', async (t) => {
  const plain = await app.inject('/large')
  for (const [encoding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const answer = await app.inject({ url: '/large', headers: { 'accept-encoding': encoding } })
    t.equal(answer.headers['content-encoding'], encoding)
    t.equal(decode(answer.rawPayload).toString(), plain.body)
    t.match(answer.headers.vary, /accept-encoding/)
    const etag = answer.headers.etag as string
    t.not(etag, plain.headers.etag)
    const headers = { 'accept-encoding': encoding, 'if-none-match': etag }
    t.equal((await app.inject({ url: '/large', headers })).statusCode, 304)
  }
  const small = await app.inject({ url: '/own', headers: { 'accept-encoding': 'br' } })
  t.equal(small.headers['content-encoding'], undefined)
})

t.test('CORS allows any origin, or the configured ones', async (t) => {
  const preflight = { origin: 'https://app.example', 'access-control-request-method': 'PATCH' }
  const open = await app.inject({ method: 'OPTIONS', url: '/config', headers: preflight })
  t.equal(open.statusCode, 204)
  t.equal(open.headers['access-control-allow-origin'], '*')
  t.match(open.headers['access-control-allow-methods'], 'PATCH')
  t.match(open.headers['access-control-allow-headers'], 'authorization')
  t.equal((await app.inject({ method: 'OPTIONS', url: '/config' })).statusCode, 204)

  const closed = await createTestApp({ config: testConfig({ CORS_ORIGINS: 'https://app.example' }) })
  t.teardown(() => closed.app.close())
  const allowed = await closed.app.inject({ url: '/live', headers: { origin: 'https://app.example' } })
  t.equal(allowed.headers['access-control-allow-origin'], 'https://app.example')
  const other = await closed.app.inject({ url: '/live', headers: { origin: 'https://evil.example' } })
  t.equal(other.headers['access-control-allow-origin'], undefined)
})

t.test('responses have security headers', async (t) => {
  const { headers } = await app.inject('/live')
  t.equal(headers['x-content-type-options'], 'nosniff')
  t.match(headers['content-security-policy'], "default-src 'none'")
  t.equal(headers['x-frame-options'], undefined)
  t.equal(headers['cross-origin-resource-policy'], undefined)
  t.equal(headers['x-powered-by'], undefined)
  t.equal(headers['strict-transport-security'], undefined, 'a developer has no TLS')
  const config = Object.freeze({ ...testConfig(), production: true })
  const production = await createTestApp({ config })
  t.teardown(() => production.app.close())
  const answer = await production.app.inject('/live')
  t.equal(answer.headers['strict-transport-security'], 'max-age=31536000; includeSubDomains')
})
