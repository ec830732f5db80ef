import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { Consumption, KeyedQuota, QuotaUsage } from '../lib/cache/cache.ts'
import { toAddressKey } from '../lib/http/address-key.ts'
import { type QuotaStatus, toRateLimitHeaders } from '../lib/rate-limit/headers.ts'
import { createQuotaCounter, type RefundableResult } from '../lib/rate-limit/quota-counter.ts'
import { type ConsumeRequest, createQuotaStore } from '../lib/rate-limit/quota-store.ts'
import { operationOf } from '../lib/telemetry/operation-of.ts'

/** A quota that some routes draw on besides the global one. */
export type Bucket = Exclude<keyof Config['quotas'], 'global'>

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Takes more of a request's global quota than the one that it began with, or throws RATE_LIMITED. What costs more than
     * the whole quota takes all of it.
     */
    consumeMore(request: FastifyRequest, reply: FastifyReply, units: number): Promise<void>
  }
  interface FastifyContextConfig {
    /** Draws on no quota, not even the global one: only for what costs next to nothing however often it is asked for. */
    rateLimitExempt?: true
    /** The quota that this route draws on besides the global one. */
    bucket?: Bucket
    /**
     * The bucket gives back what a refused body took: for forms of a small quota, which typing errors would use up for long.
     * Only where refusing costs next to nothing. The global quota keeps its taking.
     */
    refundsInvalidBodies?: boolean
  }
}

/** A body that is not what the schema says, too large, or of another type. */
const INVALID_BODY_STATUSES: ReadonlySet<number> = new Set([400, 413, 415])

/** How long a replica believes that a quota is used up which may be given back at another. */
const REFUNDABLE_MEMORY_MS = 1_000

interface Quota extends KeyedQuota {
  name: string
  windowSeconds: number
}

interface CountedQuota extends QuotaUsage {
  quota: Quota
}

type Options = { config: Pick<Config, 'rateLimits' | 'quotas'> }

/**
 * Quotas of what one client may ask, counted before anything else is done for it: what is refused later, for want of a
 * token or of a route, has been counted all the same. A client is the wallet of a token that is good, else an address:
 * a token that was revoked, has expired or is not ours spends nothing of the wallet that it names.
 */
export default fp<Options>(
  async (app, { config: { rateLimits, quotas } }) => {
    const rejections = app.metrics.counter(
      'http_requests_limited_total',
      'Requests refused by a rate limit, by its bucket',
      ['operation', 'bucket'],
    )
    let consumeMore: FastifyInstance['consumeMore'] = async () => {}
    app.decorate('consumeMore', (request, reply, units) => consumeMore(request, reply, units))
    if (!rateLimits) return
    const reject = (request: FastifyRequest, { name }: Quota, resetMs: number): never => {
      rejections.inc({ operation: operationOf(request), bucket: name })
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

    const consumeRequests = new WeakMap<FastifyRequest, ConsumeRequest>()
    const noQuotas: ConsumeRequest = { quotas: [] }
    await app.register(rateLimit, {
      global: false,
      store: createQuotaStore(createQuotaCounter(app)),
      // See createQuotaStore: the key is the draw itself.
      keyGenerator: (request) => (consumeRequests.get(request) ?? noQuotas) as unknown as string,
    })
    const limit = app.createRateLimit()
    /** Takes these quotas, or none of them. */
    const consume = async (request: FastifyRequest, quotas: readonly KeyedQuota[]): Promise<RefundableResult> => {
      const pending: ConsumeRequest = { quotas }
      consumeRequests.set(request, pending)
      await limit(request)
      return pending.result as RefundableResult
    }

    /** When quotas that were found used up come back, by key: until then a flood costs the cache nothing. */
    const exhausted = new LRUCache<string, number>({ max: 10_000, ttlResolution: 0 })
    const rememberExhausted = ({ key }: Quota, resetMs: number, { routeOptions: { config } }: FastifyRequest) => {
      const memory = config?.refundsInvalidBodies ? { ttl: Math.min(resetMs, REFUNDABLE_MEMORY_MS) } : {}
      exhausted.set(key, performance.now() + resetMs, memory)
    }
    const findExhausted = (quotas: readonly Quota[]) => {
      if (exhausted.size === 0) return undefined
      for (const quota of quotas) {
        const resetMs = (exhausted.get(quota.key) ?? 0) - performance.now()
        if (resetMs > 0) return { quota, resetMs }
      }
      return undefined
    }

    /** The global quota of each request under way. */
    const globalQuotas = new WeakMap<FastifyRequest, Quota>()
    consumeMore = async (request, reply, units) => {
      const quota = globalQuotas.get(request)
      const cost = Math.min(units, (quota?.limit ?? 0) - 1)
      if (!quota || cost <= 0) return
      const { granted, usages } = await consume(request, [{ ...quota, cost }])
      const balance = usages[0] as QuotaUsage
      setRateLimitHeaders(reply, [{ quota, ...balance }])
      if (!granted) reject(request, quota, balance.resetMs)
    }

    app.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.config?.rateLimitExempt) return
      const requestQuotas = findQuotas(request, await findClient(request))
      globalQuotas.set(request, requestQuotas[0] as Quota)
      const known = findExhausted(requestQuotas)
      if (known) {
        reply.headers(toRateLimitHeaders([toQuotaStatus(known.quota, known.quota.limit, known.resetMs)]))
        reject(request, known.quota, known.resetMs)
      }
      const { granted, usages, refund } = await consume(request, requestQuotas)
      const found = requestQuotas.map((quota, at) => ({ quota, ...(usages[at] as QuotaUsage) }))
      setRateLimitHeaders(reply, found)
      const empty = granted ? undefined : found.find(({ quota, used }) => used >= quota.limit)
      if (!empty) {
        if (request.routeOptions.config?.refundsInvalidBodies) refundable.set(request, { found, refund })
        return
      }
      rememberExhausted(empty.quota, empty.resetMs, request)
      reject(request, empty.quota, empty.resetMs)
    })

    /** What requests under way, of routes that spare refused bodies, were counted as. */
    const refundable = new WeakMap<
      FastifyRequest,
      { found: CountedQuota[]; refund: (consumption: Consumption) => Promise<void> }
    >()
    const refundInvalidBody = async (request: FastifyRequest, reply: FastifyReply) => {
      const { found = [], refund } = refundable.get(request) ?? {}
      const bucket = found.at(-1)
      if (!bucket || !INVALID_BODY_STATUSES.has(reply.statusCode)) return
      await refund?.({ key: bucket.quota.key, slot: bucket.slot })
      const used = bucket.used - 1
      setRateLimitHeaders(reply, [...found.slice(0, -1), { ...bucket, used, resetMs: used === 0 ? 0 : bucket.resetMs }])
    }
    // Before the answer leaves, so that whoever has read it may try again at once.
    app.addHook('onRoute', (route) => {
      if (route.config?.bucket && route.config.refundsInvalidBodies)
        route.onSend = [refundInvalidBody, ...[route.onSend ?? []].flat()]
    })
  },
  { name: 'rate-limits', dependencies: ['auth', 'cache', 'metrics'] },
)

const findClient = async (request: FastifyRequest): Promise<string> =>
  (await request.server.findRateLimitWallet(request)) ?? toAddressKey(request.ip, request.socket.remoteAddress)

const setRateLimitHeaders = (reply: FastifyReply, drawn: readonly CountedQuota[]) =>
  reply.headers(toRateLimitHeaders(drawn.map(({ quota, used, resetMs }) => toQuotaStatus(quota, used, resetMs))))

const toQuotaStatus = ({ name, limit, windowSeconds }: Quota, used: number, resetMs: number): QuotaStatus => ({
  name,
  limit,
  windowSeconds,
  remaining: Math.max(0, limit - used),
  resetSeconds: Math.ceil(resetMs / 1000),
})
