import t from 'tap'
import { checkFailover } from '../support/servers/redis-sets/failover.ts'
import { startSentinels } from '../support/servers/redis-sets/sentinels.ts'

t.setTimeout(120_000)

t.test('a failover by Sentinels under load doubles no quota and no nonce, and live events resume', async (t) => {
  const set = await startSentinels(t)
  if (!set) return void t.pass('Sentinels', { skip: 'there is no redis-server' })
  const { place, primary: holder, replicas } = set
  await checkFailover(t, place, { holder, replicas, recover: () => set.waitForFailover(holder) })
})
