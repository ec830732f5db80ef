import t from 'tap'
import { startCluster } from '../support/servers/redis-sets/cluster.ts'
import { checkFailover, NONCE_KEY } from '../support/servers/redis-sets/failover.ts'

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
