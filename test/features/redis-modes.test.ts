import t, { type Test } from 'tap'
import { openRedisCache } from '../../lib/cache/cache-redis.ts'
import type { RedisPlace } from '../../lib/redis/redis-place.ts'
import { checkRedis } from '../../preflight/check-stores.ts'
import { describe } from '../../preflight/finding.ts'
import { createTestApp } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { singleRedis } from '../support/servers/redis-place.ts'
import { startNode } from '../support/servers/redis-sets/nodes.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

const ofCluster = { settings: ['save ""'], isOfCluster: true }

/** One server of each kind: a single Redis, a node of a Cluster without slots, and a Sentinel that watches `shop`. */
async function startKinds(t: Test) {
  const single = await startNode(t, { settings: ['save ""'] })
  if (!single) return undefined
  const cluster = await startNode(t, ofCluster)
  const watched = [`sentinel monitor shop 127.0.0.1 ${single.port} 1`]
  const sentinel = await startNode(t, { settings: watched, isSentinel: true })
  return cluster && sentinel ? { single, cluster, sentinel } : undefined
}

t.test('preflight and the start name a mode that does not suit the server, and what to set', async (t) => {
  const kinds = await startKinds(t)
  if (!kinds) return void t.pass('kinds of Redis', { skip: 'there is no redis-server' })
  const name = (mode: RedisPlace['mode'], kind: keyof typeof kinds, sentinelName: string | null = null) =>
    ({ mode, urls: [kinds[kind].url], sentinelName }) satisfies RedisPlace
  const cases: [RedisPlace, RegExp][] = [
    [
      name('single', 'cluster'),
      /^REDIS_MODE: it is single, but REDIS_URL names a node of .* Set REDIS_MODE=cluster; or/,
    ],
    [
      name('single', 'sentinel'),
      /^REDIS_MODE: it is single, but .* a Sentinel, .* Set REDIS_MODE=sentinel, and REDIS_SENTI/,
    ],
    [
      name('cluster', 'single'),
      /^REDIS_MODE: it is cluster, but REDIS_URL names a single Redis\. Set REDIS_MODE=single; or/,
    ],
    [
      name('cluster', 'sentinel'),
      /^REDIS_MODE: it is cluster, but .* a Sentinel, .* Set REDIS_MODE=sentinel, and REDIS_/,
    ],
    [
      name('sentinel', 'single', 'shop'),
      /^REDIS_MODE: it is sentinel, but .* single Redis\. Set REDIS_MODE=single; or let/,
    ],
    [
      name('sentinel', 'cluster', 'shop'),
      /^REDIS_MODE: it is sentinel, but .* Cluster\. Set REDIS_MODE=cluster; or let/,
    ],
    [
      name('sentinel', 'sentinel', 'store'),
      /^REDIS_SENTINEL_NAME: .* watch no primary of the name store\. Set it to shop\.$/,
    ],
    [
      name('cluster', 'cluster'),
      /^REDIS_URL: the Redis Cluster does not serve all keys: its cluster_state is fail\. Start/,
    ],
  ]
  for (const [redis, line] of cases) {
    const [finding, ...others] = await checkRedis({ redis, role: 'all' })
    t.same(others, [])
    t.match(finding && describe(finding).replace(/^FAIL {2}/, ''), line)
    await t.rejects(openRedisCache(redis, { namespace: 'modes' }), { name: 'SetupError', message: line })
  }
  const right = await checkRedis({ redis: name('sentinel', 'sentinel', 'shop'), role: 'all' })
  t.match(right[0], { level: 'ok', message: /^the Redis of the Sentinels at 127\.0\.0\.1:\d+ accepts writes$/ })
})

t.test('/health names the mode when a server of another kind has taken the place of the Redis', async (t) => {
  const single = await startNode(t, { settings: ['save ""'] })
  if (!single) return void t.pass('another kind of Redis', { skip: 'there is no redis-server' })
  const { db } = await createTestDatabase(t)
  const cache = await openRedisCache(singleRedis(single.url), { namespace: 'modes' })
  const { app } = await createTestApp({ services: { db, cache } })
  t.teardown(async () => {
    await app.close()
    await cache.close()
  })
  const readHealth = async () => (await app.inject('/health')).json().error as string
  t.notMatch(await readHealth(), /cache/)
  await single.kill()
  await startNode(t, { ...ofCluster, port: single.port })
  const said =
    /cache \(REDIS_MODE: it is single, but REDIS_URL names a node of a Redis Cluster\. Set REDIS_MODE=cluster/
  await waitUntil('/health names the mode', async () => said.test(await readHealth()))
})
