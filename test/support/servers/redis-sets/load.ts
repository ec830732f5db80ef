import type { Test } from 'tap'
import { enqueueEvents } from '../../../../db/queries/outbox.ts'
import { openLiveBus } from '../../../../features/live/live-bus.ts'
import { openRedisCache } from '../../../../lib/cache/cache-redis.ts'
import type { RedisPlace } from '../../../../lib/redis/redis-place.ts'
import { createTestApp, testConfig } from '../../app.ts'
import { createTestDatabase } from '../../database.ts'
import { waitUntil } from '../../waits/wait-until.ts'

export const QUOTA = 300
/** Long enough that events come by Redis alone. */
const NEVER = 3_600_000
/** In braces: a Cluster has all keys of it at one master. */
const NAMESPACE = '{failover}'
const log = { info: () => {}, warn: () => {}, error: () => {} }

/** The nonce that a test follows through a failover, for choosing the server that holds it. */
export const NONCE = 'nonce:of-the-failover'
export const NONCE_KEY = `slipway:${NAMESPACE}:${NONCE}`

/** Two replicas of the service that share the Redis of `place`, under load until `stop`. */
export async function startLoad(t: Test, place: RedisPlace) {
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
  /** Requests until `isOver`. */
  const requestUntil = async (isOver: () => boolean) => {
    while (!isOver()) {
      await request()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  /** Resolves when the service has its Redis again. */
  const waitUntilWell = async () => {
    await waitUntil('/health is without the cache again', async () => !/cache/.test(await readHealth()))
    await waitUntil('nonces can be taken again', async () => {
      const key = 'nonce:after'
      await one.cache.set(key, key, 60).catch(() => {})
      return (await one.cache.getAndDelete(key).catch(() => null)) === key
    })
  }
  /** No quota was doubled, no nonce taken twice, and every event has arrived. Ends the load. */
  const checkAll = async () => {
    for (let at = 0; at < QUOTA; at++) await request()
    t.ok(allowed <= QUOTA, `${allowed} of a quota of ${QUOTA}`)
    t.ok(allowed > QUOTA / 2)
    await stop()
    for (const key of taken) if ((await other.cache.getAndDelete(key).catch(() => null)) !== null) nonces.repeated++
    t.comment(`nonces: ${JSON.stringify(nonces)}`)
    t.equal(nonces.repeated, 0, 'no nonce is taken twice')
    t.ok(taken.length > 0)
    t.same(
      other.received,
      Array.from({ length: written }, (_, index) => String(index + 1)),
      'every event, once and in order',
    )
  }
  return {
    one,
    request,
    allowed: () => allowed,
    requestUntil,
    waitForEvents,
    readHealth,
    waitUntilWell,
    checkAll,
  }
}
