import { createServer } from 'node:net'
import { createClient } from 'redis'
import t from 'tap'
import { isAppError } from '../../errors.ts'
import type { Cache } from '../../lib/cache/cache.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import { openRedisCache } from '../../lib/cache/cache-redis.ts'
import { startRedis } from '../support/servers/redis.ts'
import { singleRedis } from '../support/servers/redis-place.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

const redisUrl = process.env.TEST_REDIS_URL
/** Tests may share one Redis, so each run has its own keys. */
const run = `test-${process.pid}-${Date.now()}`

const behavesAsCache = (name: string, open: () => Promise<Cache>, skip: string | false) =>
  t.test(name, { skip }, async (t) => {
    const cache = await open()
    t.teardown(() => cache.close())
    const key = (suffix: string) => `test:${suffix}`

    t.test('holds a value for its time to live', async (t) => {
      t.equal(await cache.get(key('a')), null)
      await cache.set(key('a'), 'one', 60)
      t.equal(await cache.get(key('a')), 'one')
      const start = performance.now()
      await cache.set(key('a'), 'two', 0.5)
      await waitUntil('its time is over', async () => (await cache.get(key('a'))) === null)
      t.ok(performance.now() - start > 400, 'not before')
    })

    t.test('deletes a value', async (t) => {
      await cache.set(key('b'), 'one', 10)
      await cache.delete(key('b'))
      t.equal(await cache.get(key('b')), null)
      await cache.delete(key('b'))
    })

    t.test('sets a value if absent, once', async (t) => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => cache.setIfAbsent(key('c'), `${i}`, 10)))
      t.equal(outcomes.filter(Boolean).length, 1)
      t.equal(await cache.get(key('c')), `${outcomes.indexOf(true)}`)
    })

    t.test('getAndDelete returns a value to one of many callers', async (t) => {
      await cache.set(key('d'), 'prize', 10)
      const taken = await Promise.all(Array.from({ length: 20 }, () => cache.getAndDelete(key('d'))))
      t.equal(taken.filter((value) => value === 'prize').length, 1)
      t.equal(await cache.getAndDelete(key('d')), null)
    })

    t.test('increments a counter, which restarts after its time to live', async (t) => {
      const counts = await Promise.all(Array.from({ length: 10 }, () => cache.increment(key('e'), 60)))
      t.same(
        counts.map(({ value }) => value).sort((a, b) => a - b),
        Array.from({ length: 10 }, (_, i) => i + 1),
      )
      // The first of them reports the whole time, the others what is left of it.
      for (const { value, resetMs } of counts) t.ok(resetMs > 30_000 && resetMs <= 60_000, `${value}: ${resetMs} ms`)
      // Each look is counted as well, so that only a new count can be 1.
      await cache.increment(key('g'), 0.2)
      await waitUntil('the counter starts again', async () => (await cache.increment(key('g'), 0.2)).value === 1)
    })

    t.test('passes its probe', async () => cache.probe())
  })

behavesAsCache('a cache in memory', async () => createMemoryCache(), false)
behavesAsCache(
  'a cache in Redis',
  () => openRedisCache(singleRedis(redisUrl as string), { namespace: run }),
  redisUrl ? false : 'TEST_REDIS_URL is not set',
)

t.test(
  'services that share a Redis have separate keys and quotas, replicas of one service share them',
  { skip: redisUrl ? false : 'TEST_REDIS_URL is not set' },
  async (t) => {
    const open = (name: string) => openRedisCache(singleRedis(redisUrl as string), { namespace: `${run}-${name}` })
    const [one, other, replica] = await Promise.all([open('one'), open('other'), open('one')])
    t.teardown(() => Promise.all([one, other, replica].map((cache) => cache.close())))
    await one.set('banned:eve', '1', 10)
    t.same([await replica.get('banned:eve'), await other.get('banned:eve')], ['1', null])
    const count = async (cache: Cache) => (await cache.increment('quota:global:eve', 60)).value
    t.same([await count(one), await count(replica), await count(other)], [1, 2, 1])
  },
)

t.test('a full namespace in memory evicts its own oldest entries only', async (t) => {
  const cache = createMemoryCache(100)
  await cache.set('revoked:a', '1', 60)
  for (let i = 0; i < 1000; i++) await cache.set(`nonce:${i}`, '1', 60)
  t.equal(await cache.get('revoked:a'), '1')
  t.equal(await cache.get('nonce:0'), null)
  t.equal(await cache.get('nonce:999'), '1')
})

t.test('an unreachable Redis fails the start instead of hanging it', async (t) => {
  await t.rejects(openRedisCache(singleRedis('redis://127.0.0.1:1'), { namespace: run }), {
    name: 'SetupError',
    message: /^REDIS_URL: /,
  })
})

t.test('a Redis that rejects writes fails the probe', async (t) => {
  const redis = await startRedis(t)
  if (!redis) return t.pass('redis-server is not installed')
  const client = createClient({ url: redis.url })
  await client.connect()
  t.teardown(() => client.destroy())
  const cache = await openRedisCache(singleRedis(redis.url), { namespace: run })
  t.teardown(() => cache.close())
  const isRefused = async () => isAppError(await cache.probe().catch((error: unknown) => error), 'CACHE_READ_ONLY')
  t.equal(await isRefused(), false)
  await client.replicaOf('127.0.0.1', 1)
  t.equal(await isRefused(), true, 'as a replica')
  await client.sendCommand(['REPLICAOF', 'NO', 'ONE'])
  t.equal(await isRefused(), false)
  await client.configSet('maxmemory', '1')
  t.equal(await isRefused(), true, 'with a full memory')
})

t.test('commands to a Redis that stops responding time out', async (t) => {
  // Greets as Redis does, has an empty INFO, and is silent from then on.
  const server = createServer((socket) => {
    let greeted = false
    socket.on('error', () => {})
    socket.on('data', (data) => {
      if (!greeted) socket.write('+OK\r\n'.repeat(data.toString().split('\r\n*').length))
      else if (data.includes('\r\nINFO\r\n')) socket.write('$0\r\n\r\n')
      greeted = true
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const cache = await openRedisCache(singleRedis(`redis://127.0.0.1:${port}`), { namespace: run })
  t.teardown(() => cache.close())
  const error = await cache.get('test:x').catch((thrown: unknown) => thrown)
  t.ok(isAppError(error, 'CACHE_UNAVAILABLE'))
})
