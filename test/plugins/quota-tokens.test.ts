import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { AppError } from '../../errors.ts'
import type { Cache } from '../../lib/cache/cache.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import { createTestApp, testConfig } from '../support/app.ts'

const alice = `0x${'a1'.repeat(20)}`
const NEW = 'the-new-secret-that-signs-tokens-from-now'
const OLD = 'the-old-secret-that-verifies-no-more-tokens'
const [thief, owner] = ['192.0.2.66', '192.0.2.1'] as const

const open = async (t: Test, env: Record<string, string>, cache?: Cache) => {
  const config = testConfig({ RATE_LIMITS: 'on', JWT_KEYS: `new:${NEW}`, PUBLIC_URL: 'https://launch.example', ...env })
  const { app } = await createTestApp({ config, ...(cache && { services: { cache } }) })
  t.teardown(() => app.close())
  return app
}
const ask = (app: FastifyInstance, token: string, remoteAddress: string, url = '/config') =>
  app.inject({ url, remoteAddress, headers: { authorization: `Bearer ${token}` } })
const remainingOf = async (...args: Parameters<typeof ask>) =>
  Number((await ask(...args)).headers['ratelimit-remaining'])

/** A token of any key and claims. */
function sign(claims: object, { kid = 'new', secret = NEW } = {}): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const origin = 'https://launch.example'
  const good = { sub: alice, jti: randomUUID(), iat: now, exp: now + 60, iss: origin, aud: origin }
  const head = `${encode({ alg: 'HS256', typ: 'JWT', kid })}.${encode({ ...good, ...claims })}`
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`
}

t.test('a revoked token consumes the quota of its address, not of its wallet', async (t) => {
  const app = await open(t, { RATE_LIMIT_GLOBAL: '5/60' })
  const token = app.issueToken(alice)
  t.equal(await remainingOf(app, token, thief), 4, 'a good token is counted by its wallet')
  await app.revokeToken(app.verifyToken(token))
  const statuses: number[] = []
  for (let i = 0; i < 7; i++) statuses.push((await ask(app, token, thief)).statusCode)
  t.same(statuses, [200, 200, 200, 200, 200, 429, 429])
  t.equal((await app.inject({ url: '/config', remoteAddress: thief })).statusCode, 429, 'its address is used up')
  t.equal(await remainingOf(app, app.issueToken(alice), owner), 3, 'the wallet has what it had')
})

t.test('an invalid token is counted by address', async (t) => {
  const app = await open(t, { RATE_LIMIT_GLOBAL: '1000/60' })
  const now = Math.floor(Date.now() / 1000)
  const worthless: Record<string, string> = {
    expired: sign({ iat: now - 100, exp: now - 1 }),
    'of a key that was rotated out': sign({}, { kid: 'old', secret: OLD }),
    'of a rotated-out key under the name of the present one': sign({}, { secret: OLD }),
    'with a wallet put in afterwards': sign({}, { secret: 'no-secret-of-this-service-whatsoever' }),
    'that never expires': sign({ exp: now + 10 * 365 * 86_400 }),
    'without an audience': sign({ aud: undefined }),
  }
  for (const [at, [name, token]] of Object.entries(worthless).entries()) {
    t.equal(await remainingOf(app, token, thief), 999 - at, name)
  }
  t.equal(await remainingOf(app, sign({}), owner), 999, 'nothing was taken of the wallet')
})

t.test('another replica counts a revoked token by address within seconds', async (t) => {
  const cache = createMemoryCache()
  const env = { RATE_LIMIT_GLOBAL: '1000000/60' }
  const [here, there] = [await open(t, env, cache), await open(t, env, cache)]
  const token = here.issueToken(alice)
  t.equal(await remainingOf(there, token, thief), 999_999)
  await here.revokeToken(here.verifyToken(token))
  const revokedAt = performance.now()
  const wallet = async () => 1_000_000 - (await remainingOf(here, here.issueToken(alice), owner))
  for (let before = await wallet(); ; before++) {
    await ask(there, token, thief)
    const after = await wallet()
    if (after === before + 1) break
    if (performance.now() - revokedAt > 60_000) throw new Error('It is still counted by its wallet')
    before = after - 1
    await pause(50)
  }
  t.ok(performance.now() - revokedAt < 30_000)
})

t.test('a flood with a revoked token causes only quota commands in the cache', async (t) => {
  let gets = 0
  const memory = createMemoryCache()
  const cache: Cache = { ...memory, get: (key) => memory.get(key).finally(() => gets++) }
  const app = await open(t, { RATE_LIMIT_GLOBAL: '1000000/60' }, cache)
  const token = app.issueToken(alice)
  await memory.set(`revoked:${app.verifyToken(token).jti}`, '1', 60)
  for (let i = 0; i < 50; i++) await ask(app, token, thief)
  t.equal(gets, 1, 'one that another replica revoked')
  gets = 0
  const fresh = app.issueToken(alice)
  await Promise.all(Array.from({ length: 50 }, () => ask(app, fresh, owner)))
  t.equal(gets, 1, 'many that come at once with a token not seen before')
})

t.test('a token that cannot be verified is counted by address', async (t) => {
  let gets = 0
  const down = async () => {
    gets++
    throw new AppError('CACHE_UNAVAILABLE')
  }
  const app = await open(t, { RATE_LIMIT_GLOBAL: '1000/60' }, { ...createMemoryCache(), get: down })
  const token = app.issueToken(alice)
  for (let i = 0; i < 50; i++) t.equal(await remainingOf(app, token, thief), 999 - i)
  const anonymous = await app.inject({ url: '/config', remoteAddress: thief })
  t.equal(anonymous.headers['ratelimit-remaining'], '949', 'it is the quota of the address')
  t.ok(gets < 10, 'a cache that fails is left alone for a while')
})
