import { type CommandParser, createClient, defineScript } from 'redis'
import { AppError, SetupError } from '../../errors.ts'
import type { Cache, Count } from './cache.ts'
import { describeRedisError, findRedisProblem, readInfo } from './redis-problem.ts'

const CONNECT_DEADLINE_MS = 5_000
const COMMAND_DEADLINE_MS = 2_000
const PROBE_SECONDS = 60

interface RedisCacheOptions {
  /** Key prefix that separates services in one Redis. Equal for all processes of a service. */
  namespace: string
  onError?: (error: unknown) => void
  onReady?: () => void
}

/**
 * A cache in Redis. Commands fail at once while disconnected, instead of queueing, and time out if Redis does not respond. The
 * client reconnects in the background.
 *
 * @throws SetupError if the server is not reachable, or is a replica, a Sentinel, or a node of a Cluster
 */
export async function openRedisCache(
  url: string,
  { namespace, onError = () => {}, onReady = () => {} }: RedisCacheOptions,
): Promise<Cache> {
  const client = createClient({
    url,
    scripts: { incrementUntil: incrementScript },
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_DEADLINE_MS,
      reconnectStrategy: (attempts) => Math.min(50 * 2 ** Math.min(attempts, 6), 2_000),
    },
  })
  client.on('error', onError)
  client.on('ready', onReady)
  try {
    await within(CONNECT_DEADLINE_MS, client.connect())
    const problem = findRedisProblem(url, await within(COMMAND_DEADLINE_MS, readInfo(client)))
    if (problem) throw new SetupError(problem)
  } catch (error) {
    client.destroy()
    throw error instanceof SetupError ? error : new SetupError(describeRedisError(url, error), { cause: error })
  }

  const run = async <T>(command: Promise<T>): Promise<T> => {
    try {
      return await within(COMMAND_DEADLINE_MS, command)
    } catch (cause) {
      throw new AppError(isRefusal(cause) ? 'CACHE_READ_ONLY' : 'CACHE_UNAVAILABLE', {}, { cause, retryAfter: 1 })
    }
  }
  const expiry = (ttlSeconds: number) => ({ type: 'PX' as const, value: Math.max(1, Math.ceil(ttlSeconds * 1000)) })

  const name = (key: string) => `slipway:${namespace}:${key}`
  return {
    isShared: true,
    get: (key) => run(client.get(name(key))),
    set: async (key, value, ttlSeconds) =>
      void (await run(client.set(name(key), value, { expiration: expiry(ttlSeconds) }))),
    setIfAbsent: async (key, value, ttlSeconds) =>
      (await run(client.set(name(key), value, { expiration: expiry(ttlSeconds), condition: 'NX' }))) !== null,
    getAndDelete: (key) => run(client.getDel(name(key))),
    delete: async (key) => void (await run(client.del(name(key)))),
    increment: (key, ttlSeconds) => run(client.incrementUntil(name(key), expiry(ttlSeconds).value)),
    probe: async () => void (await run(client.set(name('health:probe'), '1', { expiration: expiry(PROBE_SECONDS) }))),
    close: async () => {
      client.destroy()
    },
  }
}

/** Increments by one and returns the count with the milliseconds it has left. The first increment, or a lost expiry, sets them. */
const incrementScript = defineScript({
  SCRIPT: `
    local value = redis.call('INCR', KEYS[1])
    local left = redis.call('PTTL', KEYS[1])
    if left >= 0 then return { value, left } end
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    return { value, tonumber(ARGV[1]) }`,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser: CommandParser, key: string, milliseconds: number) {
    parser.pushKey(key)
    parser.push(String(milliseconds))
  },
  transformReply: ([value, resetMs]: number[]): Count => ({ value: value as number, resetMs: resetMs as number }),
})

/** Whether Redis responds but accepts no writes: its memory or disk is full, or it is a replica. The code begins the message. */
const isRefusal = (error: unknown) =>
  error instanceof Error && /^(OOM|MISCONF|READONLY|NOREPLICAS) /.test(error.message)

/** Rejects after a timeout. The promise itself continues; its outcome is ignored. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`No answer within ${milliseconds} ms`)), milliseconds)
  promise.catch(() => {})
  try {
    return await Promise.race([promise, deadline])
  } finally {
    clearTimeout(timer)
  }
}
