import t from 'tap'
import { checkFailover, checkHang } from '../support/servers/redis-sets/failover.ts'
import { startSentinels } from '../support/servers/redis-sets/sentinels.ts'

t.setTimeout(240_000)

t.test('a failover by Sentinels under load doubles no quota and no nonce, and live events resume', async (t) => {
  const set = await startSentinels(t)
  if (!set) return void t.pass('Sentinels', { skip: 'there is no redis-server' })
  const { place, primary: holder, replicas } = set
  await checkFailover(t, place, { holder, replicas, recover: () => set.waitForFailover(holder) })
})

t.test('the service leaves a primary that hangs, together with its Sentinel', async (t) => {
  const set = await startSentinels(t)
  if (!set) return void t.pass('Sentinels', { skip: 'there is no redis-server' })
  const { place, primary: holder, sentinels } = set
  await checkHang(t, place, { holder, others: sentinels.slice(0, 1), recover: () => set.waitForFailover(holder) })
})
