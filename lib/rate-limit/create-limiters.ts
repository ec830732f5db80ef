import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Count } from '../cache/cache.ts'
import { createCircuitBreaker } from '../concurrency/circuit-breaker.ts'
import { KnownCounts } from './known-counts.ts'

type Quotas<Name extends string> = Readonly<Record<Name, { limit: number; windowSeconds: number }>>
type KeyOf<Name extends string> = (request: FastifyRequest, name: Name) => string
/** Counts a request. ttl: milliseconds until the window ends, and the whole quota is available again. */
export type Limiter = (request: FastifyRequest) => Promise<{ isExceeded: boolean; remaining: number; ttl: number }>
type Limiters<Name extends string> = Record<Name, Limiter>

/** Clients that a process counts by itself; the least recently used is dropped, which restores its quotas. */
const MAX_CLIENTS = 50_000

/**
 * A limiter for each quota, of the client that `keyOf` names. In a cache that other processes share, all count together;
 * otherwise, and while that cache fails, this process counts by itself: quotas never fail open. It begins with the last shared
 * count that it knows. So a client gets no second quota when the cache fails, or when a failover loses its counts.
 */
export async function createLimiters<Name extends string>(
  app: FastifyInstance,
  quotas: Quotas<Name>,
  keyOf: KeyOf<Name>,
) {
  if (!app.cache.isShared) return await register(app, quotas, keyOf)
  const known = new KnownCounts(MAX_CLIENTS * Object.keys(quotas).length)
  const local = await register(
    app,
    quotas,
    keyOf,
    createStore(async (key, windowMs) => known.add(key, windowMs)),
  )
  const shared = await register(
    app,
    quotas,
    keyOf,
    createStore(async (key, windowMs) => {
      const startedAt = performance.now()
      return known.raise(key, await app.cache.increment(`quota:${key}`, windowMs / 1_000), startedAt)
    }),
  )
  const breaker = createCircuitBreaker({
    failureThreshold: 3,
    cooldownMs: 1_000,
    onOpen: () => app.log.warn('The cache fails; until it is back each replica counts quotas by itself'),
  })
  return mapNames(
    quotas,
    (name): Limiter =>
      async (request) => {
        if (breaker.acquire() > 0) return local[name](request)
        try {
          const verdict = await shared[name](request)
          breaker.recordSuccess()
          return verdict
        } catch {
          breaker.recordFailure()
          return local[name](request)
        }
      },
  )
}

/** Registers the library in a scope of its own: it has one store for each. */
async function register<Name extends string>(
  app: FastifyInstance,
  quotas: Quotas<Name>,
  keyOf: KeyOf<Name>,
  store?: FastifyRateLimitStoreCtor,
): Promise<Limiters<Name>> {
  const { promise, resolve } = Promise.withResolvers<Limiters<Name>>()
  await app.register(async (scope) => {
    await scope.register(rateLimit, { global: false, cache: MAX_CLIENTS, ...(store && { store }) })
    const create = (name: Name) =>
      scope.createRateLimit({
        max: quotas[name].limit,
        timeWindow: quotas[name].windowSeconds * 1_000,
        keyGenerator: (request) => `${name}:${keyOf(request, name)}`,
      })
    // Without a list of exceptions every verdict has counts.
    resolve(mapNames(quotas, (name) => create(name) as Limiter))
  })
  return promise
}

const mapNames = <Name extends string, T>(quotas: Quotas<Name>, map: (name: Name) => T) =>
  Object.fromEntries(Object.keys(quotas).map((name) => [name, map(name as Name)])) as Record<Name, T>

type Callback = (error: Error | null, result?: { current: number; ttl: number }) => void

/** A store of the library. */
const createStore = (increment: (key: string, windowMs: number) => Promise<Count>): FastifyRateLimitStoreCtor =>
  class Store {
    incr(key: string, callback: Callback, windowMs: number): void {
      increment(key, windowMs).then(({ value, resetMs }) => callback(null, { current: value, ttl: resetMs }), callback)
    }

    child() {
      return this
    }
  }
