import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { findSigner } from '../auth.ts'
import type { KeyedQuota, Spending } from '../cache.ts'
import { createBreaker } from '../circuit-breaker.ts'
import { toAddressKey } from '../client-key.ts'
import { operationOf } from '../metrics/index.ts'
import { createQuotaMemory } from '../quota-memory.ts'
import { describeStandings, type Standing } from './headers.ts'

/** A quota that some routes draw on besides the global one. */
export type Bucket = Exclude<keyof Config['quotas'], 'global'>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The quota that this route draws on besides the global one. */
    bucket?: Bucket
  }
}

interface Quota extends KeyedQuota {
  name: string
  windowSeconds: number
}

type Options = { config: Pick<Config, 'rateLimits' | 'quotas'> }

/**
 * Quotas of what one client may ask, counted before anything else is done for it: what is refused later, for want of a
 * token or of a route, has been counted all the same. A client is the wallet of a token that we signed, else an address.
 */
export default fp<Options>(
  async (app, { config: { rateLimits, quotas } }) => {
    const refused = app.metrics.counter(
      'http_requests_limited_total',
      'Requests refused by a rate limit, by its bucket',
      ['operation', 'bucket'],
    )
    if (!rateLimits) return
    const refuse = (request: FastifyRequest, { name }: Quota, resetMs: number): never => {
      refused.inc({ operation: operationOf(request), bucket: name })
      throw new AppError('RATE_LIMITED', { bucket: name }, { retryAfter: resetMs / 1000 })
    }
    const findQuota = (client: string, name: keyof typeof quotas): Quota => {
      const { limit, windowSeconds } = quotas[name]
      // In braces what decides where a cluster of Redis keeps a key: those of one request must be together.
      return {
        key: `quota:{${client}}:${name}/${windowSeconds}`,
        name,
        limit,
        windowSeconds,
        windowMs: windowSeconds * 1000,
      }
    }
    const findQuotas = ({ routeOptions: { config } }: FastifyRequest, client: string): Quota[] => {
      const bucket = config?.bucket
      return [findQuota(client, 'global'), ...(bucket ? [findQuota(client, bucket)] : [])]
    }

    const spendHere = createQuotaMemory()
    const breaker = createBreaker({
      failures: 3,
      restMs: 1_000,
      onOpen: () => app.log.warn('The cache fails; until it is back each replica counts quotas by itself'),
    })
    const spend = async (drawn: readonly KeyedQuota[]): Promise<Spending> => {
      if (breaker.enter() > 0) return spendHere(drawn)
      try {
        const spending = await app.cache.spend(drawn)
        breaker.succeed()
        return spending
      } catch {
        breaker.fail()
        return spendHere(drawn)
      }
    }

    /** When quotas that were found used up come back, by key: until then a flood costs the cache nothing. */
    const usedUp = new LRUCache<string, number>({ max: 10_000 })
    const findUsedUp = (drawn: readonly Quota[]) => {
      if (usedUp.size === 0) return undefined
      for (const quota of drawn) {
        const resetMs = (usedUp.get(quota.key) ?? 0) - performance.now()
        if (resetMs > 0) return { quota, resetMs }
      }
      return undefined
    }

    app.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.config?.vital) return
      const drawn = findQuotas(request, findClient(request))
      const known = findUsedUp(drawn)
      if (known) {
        reply.headers(describeStandings([toStanding(known.quota, known.quota.limit, known.resetMs)]))
        refuse(request, known.quota, known.resetMs)
      }
      const { granted, balances } = await spend(drawn)
      const found = drawn.map((quota, at) => ({ quota, used: 0, resetMs: 0, ...balances[at] }))
      reply.headers(describeStandings(found.map(({ quota, used, resetMs }) => toStanding(quota, used, resetMs))))
      const empty = granted ? undefined : found.find(({ quota, used }) => used >= quota.limit)
      if (!empty) return
      usedUp.set(empty.quota.key, performance.now() + empty.resetMs)
      refuse(request, empty.quota, empty.resetMs)
    })
  },
  { name: 'rate-limits', dependencies: ['auth', 'cache', 'metrics'] },
)

const findClient = (request: FastifyRequest): string =>
  findSigner(request) ?? toAddressKey(request.ip, request.socket.remoteAddress)

const toStanding = ({ name, limit, windowSeconds }: Quota, used: number, resetMs: number): Standing => ({
  name,
  limit,
  windowSeconds,
  remaining: Math.max(0, limit - used),
  resetSeconds: Math.ceil(resetMs / 1000),
})
