import t from 'tap'
import { startCluster } from '../support/servers/redis-sets/cluster.ts'
import { checkFailover, checkHang } from '../support/servers/redis-sets/failover.ts'
import { NONCE_KEY } from '../support/servers/redis-sets/load.ts'

t.setTimeout(240_000)

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

t.test('the service leaves a master of a Redis Cluster that hangs', async (t) => {
  const cluster = await startCluster(t)
  if (!cluster) return void t.pass('a Redis Cluster', { skip: 'there is no redis-server' })
  const holder = await cluster.findMaster(NONCE_KEY)
  await checkHang(t, cluster.place, { holder, recover: cluster.waitUntilWell })
  t.not(await cluster.findMaster(NONCE_KEY), holder, 'its replica has taken over')
})
