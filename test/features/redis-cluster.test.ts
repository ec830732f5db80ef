import t from 'tap'
import { openRedisCache } from '../../lib/cache/cache-redis.ts'
import { startCluster } from '../support/servers/redis-sets/cluster.ts'
import { checkFailover, NONCE_KEY } from '../support/servers/redis-sets/failover.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

t.setTimeout(120_000)

t.test(
  'a Redis Cluster whose master is killed under load doubles no quota and no nonce, and live events resume',
  async (t) => {
    const cluster = await startCluster(t)
    if (!cluster) return void t.pass('a Redis Cluster', { skip: 'there is no redis-server' })
    const holder = await cluster.findMaster(NONCE_KEY)
    const replicas = await cluster.findReplicas(holder)
    await checkFailover(t, cluster.place, { holder, replicas, recover: cluster.waitUntilWell })
    t.not(await cluster.findMaster(NONCE_KEY), holder, 'its replica has taken over')
  },
)

t.test('a master that hangs without closing its connections is left for its replica', async (t) => {
  const cluster = await startCluster(t)
  if (!cluster) return void t.pass('a master that hangs', { skip: 'there is no redis-server' })
  const cache = await openRedisCache(cluster.place, { namespace: 'hangs' })
  t.teardown(() => cache.close())
  await cache.setKept('nonce:a', 'one', 300)
  const master = await cluster.findMaster('slipway:hangs:nonce:a')
  master.pause()
  const take = () => cache.getAndDelete('nonce:a').catch(() => 'unavailable')
  const values: (string | null)[] = []
  await waitUntil('another master takes the nonce', async () => {
    values.push(await take())
    return values.at(-1) !== 'unavailable'
  })
  t.ok(values.length > 1)
  t.equal(await take(), null)
})
