import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { trimRevokedTokens } from '../../../db/queries/revoked-tokens.ts'
import type { Database } from '../../../db/schema.ts'
import type { Cache } from '../../../lib/cache/cache.ts'
import { createMemoryCache } from '../../../lib/cache/cache-memory.ts'
import { openRedisCache } from '../../../lib/cache/cache-redis.ts'
import { createTestApp } from '../../support/app.ts'
import { headersOf, mounts } from '../../support/client.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createTestEvents } from '../../support/live-events.ts'
import { singleRedis } from '../../support/servers/redis-place.ts'

const redisUrl = process.env.TEST_REDIS_URL
const alice = `0x${'a1'.repeat(20)}`
const { db } = await createTestDatabase(t)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const statusOf = async (app: FastifyInstance, token: string, url = '/auth/me') =>
  (await app.inject({ url, headers: bearer(token) })).statusCode
const logOut = async (app: FastifyInstance, token: string, mount = '') =>
  (await app.inject({ method: 'POST', url: `${mount}/auth/logout`, headers: bearer(token) })).statusCode

/** Two replicas, and how to empty their cache. */
interface Replicas {
  replicas: [FastifyInstance, FastifyInstance]
  clearCache: () => Promise<void>
}

async function start(test: Test, open: () => Promise<Cache>): Promise<[FastifyInstance, FastifyInstance]> {
  const make = async () => {
    const cache = await open()
    const { app } = await createTestApp({ services: { db, cache } })
    test.teardown(async () => {
      await app.close()
      await cache.close()
    })
    return app
  }
  return [await make(), await make()]
}

const kinds: [name: string, skip: string | false, create: (test: Test) => Promise<Replicas>][] = [
  [
    'in the process',
    false,
    async (test) => {
      const cache = createMemoryCache()
      return { replicas: await start(test, async () => cache), clearCache: () => cache.close() }
    },
  ],
  [
    'in Redis',
    redisUrl ? false : 'TEST_REDIS_URL is not set',
    async (test) => {
      const namespace = `test-${randomUUID()}`
      const client = createClient({ url: redisUrl as string })
      await client.connect()
      test.teardown(() => client.destroy())
      // Its own keys alone: others use this Redis.
      const clearCache = async () => {
        const found: string[] = []
        for await (const keys of client.scanIterator({ MATCH: `slipway:${namespace}:*`, COUNT: 1_000 }))
          found.push(...keys)
        if (found.length === 0) throw new Error('The cache was empty')
        await client.del(found)
      }
      return {
        replicas: await start(test, () => openRedisCache(singleRedis(redisUrl as string), { namespace })),
        clearCache,
      }
    },
  ],
]

for (const [name, skip, create] of kinds) {
  t.test(
    `with the cache ${name} a revoked token stays revoked when the cache has lost its data`,
    { skip },
    async (t) => {
      const { replicas, clearCache } = await create(t)
      const [one, other] = replicas
      for (const mount of mounts) {
        const [out, kept] = [one.issueToken(alice), one.issueToken(alice)]
        for (const app of replicas) t.same([await statusOf(app, out), await statusOf(app, kept)], [200, 200])
        t.equal(await logOut(one, out, mount), 200)
        t.equal(await statusOf(other, out), 401, 'at once, where it was known to be good')
        for (let round = 0; round < 2; round++) {
          await clearCache()
          for (const app of replicas)
            for (const at of mounts)
              t.same([await statusOf(app, out, `${at}/auth/me`), await statusOf(app, kept)], [401, 200])
        }
        t.equal(await logOut(other, out), 401, 'and cannot be logged out again')
      }
    },
  )

  t.test(
    `with the cache ${name} a token that is read during its logout is rejected afterwards`,
    { skip },
    async (t) => {
      const { replicas } = await create(t)
      for (let round = 0; round < 10; round++) {
        const token = replicas[0].issueToken(alice)
        const reads = replicas.flatMap((app) => [1, 2, 3].map(() => statusOf(app, token)))
        const [left] = await Promise.all([logOut(replicas[0], token), ...reads])
        t.equal(left, 200)
        for (const app of replicas) t.equal(await statusOf(app, token), 401)
      }
    },
  )
}

t.test('a process with an empty cache rejects revoked tokens', async (t) => {
  const [app, next] = await start(t, async () => createMemoryCache())
  const token = app.issueToken(alice)
  t.equal(await logOut(app, token), 200)
  t.equal(await statusOf(next, token), 401)
})

t.test('a token causes one database query, however often it is used', async (t) => {
  let asked = 0
  const counted = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      asked++
      return result
    },
  })
  const { app } = await createTestApp({ services: { db: counted } })
  t.teardown(() => app.close())
  const [token, gone] = [app.issueToken(alice), app.issueToken(alice)]
  asked = 0
  for (let times = 0; times < 5; times++) t.equal(await statusOf(app, token), 200)
  t.equal(asked, 1)
  await logOut(app, gone)
  asked = 0
  for (let times = 0; times < 5; times++) t.equal(await statusOf(app, gone), 401)
  t.equal(asked, 0)
  const forged = `${token.slice(0, -4)}AAAA`
  t.equal(await statusOf(app, forged), 401)
  t.equal(asked, 0, 'and about what we have not signed never')
})

t.test('a token is rejected while neither cache nor database can be read', async (t) => {
  const pool = new pg.Pool({ connectionString: 'postgres://postgres@127.0.0.1:1/postgres' })
  const nowhere = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const { app } = await createTestApp({ services: { db: nowhere, live: createTestEvents() } })
  t.teardown(async () => {
    await app.close()
    await nowhere.destroy()
  })
  const headers = headersOf(app, alice)
  const needed = await app.inject({ url: '/auth/me', headers })
  t.equal(needed.statusCode, 503)
  t.same(needed.json(), { success: false, data: null, error: 'The database is unavailable' })
  t.ok(needed.headers['retry-after'])
  t.equal((await app.inject({ method: 'POST', url: '/auth/logout', headers })).statusCode, 503)
  // What is known is not asked again.
  const { jti } = app.verifyToken(headers.authorization?.slice('Bearer '.length) as string)
  await app.cache.set(`revoked:${jti}`, '0', 60)
  t.equal((await app.inject({ url: '/auth/me', headers })).statusCode, 200)
})

t.test('a revocation is stored until no replica accepts the token any more', async (t) => {
  const [app] = await start(t, async () => createMemoryCache())
  const token = app.issueToken(alice)
  const { jti } = app.verifyToken(token)
  await logOut(app, token)
  const old = [290, 310].map((seconds) => ({
    jti: `${seconds}-${jti}`,
    expires_at: new Date(Date.now() - seconds * 1000),
  }))
  await db.insertInto('revoked_tokens').values(old).execute()
  await trimRevokedTokens(db, 300)
  const kept = await db
    .selectFrom('revoked_tokens')
    .select('jti')
    .where('jti', 'like', `%${jti}`)
    .orderBy('jti')
    .execute()
  t.same(
    kept.map((row) => row.jti).sort(),
    [`290-${jti}`, jti].sort(),
    'a replica whose clock is late still accepts it',
  )
})
