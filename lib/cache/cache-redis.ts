import { AppError, SetupError } from '../../errors.ts'
import { within } from '../concurrency/within.ts'
import { connectRedis } from '../redis/connect-redis.ts'
import type { RedisPlace } from '../redis/redis-place.ts'
import { describeRedisError, findModeProblem, inspectRedis, parseInfo, readInfo } from '../redis/redis-problem.ts'
import { CONNECT_DEADLINE_MS, type Pipeline } from '../redis/session.ts'
import type { Cache } from './cache.ts'

const COMMAND_DEADLINE_MS = 2_000
/** How long a replica may take to confirm a write. */
const REPLICA_DEADLINE_MS = 500
const PROBE_SECONDS = 60

interface RedisCacheOptions {
  /** Key prefix that separates services in one Redis. Equal for all processes of a service. */
  namespace: string
  onError?: (error: unknown) => void
  onReady?: () => void
}

/**
 * A cache in Redis. Commands fail at once while disconnected, instead of queueing, and time out if Redis does not respond. The
 * client reconnects in the background, and follows a failover.
 *
 * @throws SetupError if the server is not reachable, or is not what REDIS_MODE says
 */
export async function openRedisCache(
  place: RedisPlace,
  { namespace, onError = () => {}, onReady = () => {} }: RedisCacheOptions,
): Promise<Cache> {
  const events = { onError, onReady }
  const main = connectRedis(place, events)
  // WAIT holds up its connection, so with replicas writes that wait for one have a connection of their own.
  const hasReplicas = place.mode !== 'single'
  const kept = hasReplicas ? connectRedis(place, events) : main
  const clients = new Set([main, kept])
  const destroy = () => {
    for (const client of clients) client.destroy()
  }
  try {
    const problem = await within(CONNECT_DEADLINE_MS, inspectRedis(place))
    if (problem) throw new SetupError(problem)
    await within(CONNECT_DEADLINE_MS, Promise.all([...clients].map((client) => client.connect())))
  } catch (error) {
    destroy()
    throw error instanceof SetupError ? error : new SetupError(describeRedisError(place, error), { cause: error })
  }

  const run = async <T>(command: Promise<T>): Promise<T> => {
    try {
      return await within(COMMAND_DEADLINE_MS, command)
    } catch (cause) {
      throw new AppError(isRefusal(cause) ? 'CACHE_READ_ONLY' : 'CACHE_UNAVAILABLE', {}, { cause, retryAfter: 1 })
    }
  }
  /** Runs a command that a failover must not undo: it resolves when a replica has it too. */
  const keep = (key: string, add: (pipeline: Pipeline) => Pipeline): Promise<unknown> => {
    const start = () => kept.commands.multi()
    const send = async () => {
      if (!hasReplicas) return (await add(start()).execAsPipeline())[0]
      // Follows a key to the node that serves it now, which a pipeline does not.
      await kept.commands.get(key)
      const [, before] = await start().get(key).info('replication').execAsPipeline()
      if (isAlone(before)) {
        // Nothing to fail over to; to wait for a replica would hold up all other commands.
        const [reply, after] = await add(start()).info('replication').execAsPipeline()
        if (isAlone(after)) {
          // One that hung may have lost its replicas to another primary.
          await kept.confirm()
          return reply
        }
      } else {
        // Sent together: a WAIT on another connection would confirm at once, having nothing to wait for.
        const [reply, confirmed] = await add(start()).wait(1, REPLICA_DEADLINE_MS).execAsPipeline()
        if (confirmed !== 0) return reply
      }
      throw new Error('No replica of Redis has confirmed a write')
    }
    return run(send())
  }
  const expiry = (ttlSeconds: number) => ({ type: 'PX' as const, value: Math.max(1, Math.ceil(ttlSeconds * 1000)) })

  const name = (key: string) => `slipway:${namespace}:${key}`
  const write = () => run(main.commands.set(name('health:probe'), '1', { expiration: expiry(PROBE_SECONDS) }))
  /** Whether the servers of REDIS_URL have been replaced by others of another kind; one alone accepts some of the writes. */
  const checkMode = async () => {
    const problem =
      place.mode === 'single'
        ? findModeProblem(place, await run(readInfo(main.commands)))
        : await within(COMMAND_DEADLINE_MS, inspectRedis(place)).catch(() => null)
    if (problem) throw new SetupError(problem)
  }
  return {
    isShared: true,
    get: (key) => run(main.commands.get(name(key))),
    set: async (key, value, ttlSeconds) =>
      void (await run(main.commands.set(name(key), value, { expiration: expiry(ttlSeconds) }))),
    setKept: async (key, value, ttlSeconds) =>
      void (await keep(name(key), (pipeline) => pipeline.set(name(key), value, { expiration: expiry(ttlSeconds) }))),
    setIfAbsent: async (key, value, ttlSeconds) =>
      (await run(main.commands.set(name(key), value, { expiration: expiry(ttlSeconds), condition: 'NX' }))) !== null,
    getAndDelete: async (key) => (await keep(name(key), (pipeline) => pipeline.getDel(name(key)))) as string | null,
    delete: async (key) => void (await keep(name(key), (pipeline) => pipeline.del(name(key)))),
    increment: (key, ttlSeconds) => run(main.commands.incrementUntil(name(key), expiry(ttlSeconds).value)),
    probe: async () => {
      if (place.mode === 'single') await checkMode()
      await write().catch(async (error: unknown) => {
        await checkMode()
        throw error
      })
    },
    close: async () => destroy(),
  }
}

const isAlone = (info: unknown) => parseInfo(String(info)).get('connected_slaves') === '0'

/** Whether Redis responds but accepts no writes: its memory or disk is full, or it is a replica. The code begins the message. */
const isRefusal = (error: unknown) =>
  error instanceof Error && /^(OOM|MISCONF|READONLY|NOREPLICAS) /.test(error.message)
