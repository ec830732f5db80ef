import type { Test } from 'tap'
import { enqueueEvents } from '../../../../db/queries/outbox.ts'
import { isAppError } from '../../../../errors.ts'
import { openLiveBus } from '../../../../features/live/live-bus.ts'
import { openRedisCache } from '../../../../lib/cache/cache-redis.ts'
import type { RedisPlace } from '../../../../lib/redis/redis-place.ts'
import { createTestApp, testConfig } from '../../app.ts'
import { createTestDatabase } from '../../database.ts'
import { waitUntil } from '../../waits/wait-until.ts'
import type { RedisNode } from './nodes.ts'

const QUOTA = 300
/** Long enough that events come by Redis alone. */
const NEVER = 3_600_000
const NAMESPACE = 'failover'
const log = { info: () => {}, warn: () => {}, error: () => {} }

/** The nonce that a test follows through a failover, for choosing the server that holds it. */
const NONCE = 'nonce:of-the-failover'
export const NONCE_KEY = `slipway:${NAMESPACE}:${NONCE}`

/** Two replicas of the service that share the Redis of `place`, under load until `stop`. */
async function startLoad(t: Test, place: RedisPlace) {
  const { db } = await createTestDatabase(t)
  const config = testConfig({ RATE_LIMITS: 'on', RATE_LIMIT_GLOBAL: `${QUOTA}/3600`, TRUST_PROXY: '' })
  const open = async () => {
    const cache = await openRedisCache(place, { namespace: NAMESPACE })
    const live = await openLiveBus({ db, redis: place, log, pollMs: NEVER })
    const received: string[] = []
    live.subscribe(({ data }) => void received.push(data))
    const { app } = await createTestApp({ config, services: { db, cache, live } })
    t.teardown(async () => {
      await app.close()
      await cache.close()
    })
    return { cache, live, received, app }
  }
  const [one, other] = [await open(), await open()]

  let allowed = 0
  const request = async () => {
    const { statusCode } = await one.app.inject({ url: '/config', remoteAddress: '10.0.0.1' })
    if (statusCode === 200) allowed++
    return statusCode
  }

  const nonces = { issued: 0, repeated: 0 }
  /** Takes a nonce at both replicas at once, and again: a nonce is taken at most once. */
  const takeNonce = async () => {
    const key = `nonce:${nonces.issued++}`
    const isStored = await one.cache.set(key, key, 300).then(
      () => true,
      () => false,
    )
    if (!isStored) return
    const take = () =>
      Promise.all([one, other].map(({ cache }) => cache.getAndDelete(key).catch(() => null))).then(
        (values) => values.filter((value) => value !== null).length,
      )
    const times = (await take()) + (await take())
    if (times > 0) taken.push(key)
    if (times > 1) nonces.repeated++
  }
  const taken: string[] = []

  let isRunning = true
  const run = async (act: () => Promise<unknown>) => {
    while (isRunning) {
      await act()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const runners = [run(takeNonce), run(takeNonce)]
  const stop = async () => {
    isRunning = false
    await Promise.all(runners)
  }
  t.teardown(stop)

  let written = 0
  const write = async () => {
    const data = String(++written)
    await db.transaction().execute((trx) => enqueueEvents(trx, [{ rooms: ['feed'], type: 'test', data }]))
    one.live.notifyCommitted()
  }
  /** Resolves when an event of one replica reaches the other through Redis. */
  const waitForEvents = (when: string) =>
    waitUntil(`events reach the other replica ${when}`, async () => {
      await write()
      await new Promise((resolve) => setTimeout(resolve, 20))
      return other.received.length > 0 && other.received.at(-1) === String(written)
    })
  const readHealth = async () => (await one.app.inject('/health')).json().error as string
  return {
    one,
    other,
    request,
    allowed: () => allowed,
    nonces,
    taken,
    stop,
    waitForEvents,
    readHealth,
    written: () => written,
  }
}

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
  const names = async (isNamed: boolean) => /cache/.test(await load.readHealth()) === isNamed
  let isWell = false
  const requesting = (async () => {
    while (!isWell) {
      await load.request()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  await recover()
  const startedAt = performance.now()
  await waitUntil('/health is without the cache again', () => names(false))
  await waitUntil('nonces can be taken again', async () => {
    const key = 'nonce:after'
    await cache.set(key, key, 60).catch(() => {})
    return (await cache.getAndDelete(key).catch(() => null)) === key
  })
  isWell = true
  await requesting
  await load.waitForEvents('after the failover')
  t.comment(`the service follows ${Math.round(performance.now() - startedAt)} ms after the failover`)

  for (let at = 0; at < QUOTA; at++) await load.request()
  t.ok(load.allowed() <= QUOTA, `${load.allowed()} of a quota of ${QUOTA}`)
  t.ok(load.allowed() > QUOTA / 2)
  await load.stop()
  for (const key of load.taken)
    if ((await load.other.cache.getAndDelete(key).catch(() => null)) !== null) load.nonces.repeated++
  t.comment(`nonces: ${JSON.stringify(load.nonces)}`)
  t.equal(load.nonces.repeated, 0, 'no nonce is taken twice')
  t.ok(load.taken.length > 0)
  t.same(
    load.other.received,
    Array.from({ length: load.written() }, (_, index) => String(index + 1)),
    'every event, once and in order',
  )
}
