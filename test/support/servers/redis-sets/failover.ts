import type { Test } from 'tap'
import { isAppError } from '../../../../errors.ts'
import type { RedisPlace } from '../../../../lib/redis/redis-place.ts'
import { waitUntil } from '../../waits/wait-until.ts'
import { NONCE, QUOTA, startLoad } from './load.ts'
import type { RedisNode } from './nodes.ts'

/**
 * Kills the server that holds the keys under load, and checks what must hold: no quota is doubled, no nonce is taken twice, live
 * events resume, and /health names the cache only while it is gone.
 */
export async function checkFailover(
  t: Test,
  place: RedisPlace,
  { holder, replicas, recover }: { holder: RedisNode; replicas: readonly RedisNode[]; recover: () => Promise<void> },
): Promise<void> {
  const load = await startLoad(t, place)
  await load.waitForEvents('at first')
  t.notMatch(await load.readHealth(), /cache/)
  for (let at = 0; at < QUOTA / 2; at++) await load.request()
  t.equal(load.allowed(), QUOTA / 2)

  const { cache } = load.one
  await cache.setKept(NONCE, 'unused', 300)
  for (const replica of replicas) replica.pause()
  const refused = await cache.getAndDelete(NONCE).catch((error: unknown) => error)
  t.ok(isAppError(refused, 'CACHE_UNAVAILABLE'), 'a nonce is not taken while no replica knows of it')

  await holder.kill()
  for (const replica of replicas) replica.resume()
  let isWell = false
  const requesting = load.requestUntil(() => isWell)
  await recover()
  const startedAt = performance.now()
  await load.waitUntilWell()
  isWell = true
  await requesting
  await load.waitForEvents('after the failover')
  t.comment(`the service follows ${Math.round(performance.now() - startedAt)} ms after the failover`)
  await load.checkAll()
}

/** As docs/redis.md says. */
const FOLLOWS_MS = 10_000

/**
 * Lets the server that holds the keys hang under load, and go on after the others have made another one primary: besides what
 * must hold when it is killed, the service uses the new one within seconds, and never the old one again.
 */
export async function checkHang(
  t: Test,
  place: RedisPlace,
  { holder, others = [], recover }: { holder: RedisNode; others?: readonly RedisNode[]; recover: () => Promise<void> },
): Promise<void> {
  const load = await startLoad(t, place)
  await load.waitForEvents('at first')
  for (let at = 0; at < QUOTA / 2; at++) await load.request()
  t.equal(load.allowed(), QUOTA / 2)
  for (const one of [holder, ...others]) one.pause()
  let isWell = false
  const requesting = load.requestUntil(() => isWell)
  await recover()
  const startedAt = performance.now()
  await load.waitUntilWell()
  const followsMs = Math.round(performance.now() - startedAt)
  t.ok(followsMs < FOLLOWS_MS, `the service follows ${followsMs} ms after the failover`)
  await load.waitForEvents('after the failover')
  for (const one of [holder, ...others]) one.resume()
  // Sentinels close the connections of a primary that they make a replica.
  const readRole = () => holder.ask('INFO', 'replication').catch(() => '')
  await waitUntil('the old primary is a replica', async () => /role:slave/.test(String(await readRole())))
  await load.waitUntilWell()
  isWell = true
  await requesting
  const listClients = async () => {
    const clients = String(await holder.ask('CLIENT', 'LIST', 'TYPE', 'normal'))
    return clients
      .trim()
      .split('\n')
      .filter((client) => !/name=sentinel|cmd=client/.test(client))
  }
  // A node may be asked where the keys are, by a connection that ends with the answer.
  await waitUntil('the service has no connection to the old primary', async () => (await listClients()).length === 0)
  await load.waitForEvents('after the old primary has come back')
  await load.checkAll()
}
