import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { Consumption, KeyedQuota, QuotaUsage } from '../lib/cache/cache.ts'
import { limitEntries } from '../lib/cache/limit-entries.ts'
import { toAddressKey } from '../lib/http/address-key.ts'
import { describePolicy, type QuotaHeaders, toQuotaHeaders } from '../lib/rate-limit/headers.ts'
import { createQuotaCounter, type RefundableResult } from '../lib/rate-limit/quota-counter.ts'
import { createQuotaStore, type PendingConsumption } from '../lib/rate-limit/quota-store.ts'
import { operationOf } from '../lib/telemetry/operation-of.ts'

/** A quota that a route consumes in addition to the global one. */
export type Bucket = Exclude<keyof Config['quotas'], 'global'>

declare module 'fastify' {
  interface FastifyInstance {
    /** Consumes further units of the request's global quota; `units` beyond the whole quota are capped. Throws RATE_LIMITED. */
    consumeMore(request: FastifyRequest, reply: FastifyReply, units: number): Promise<void>
  }
  interface FastifyRequest {
    /** Null on exempt routes and before quotas are counted. */
    quotaUse: QuotaUse | null
  }
  interface FastifyReply {
    /** Set them here, not as headers: an onSend hook adds them, and so do responses that are written without the reply. */
    quotaHeaders: QuotaHeaders | null
  }
  interface FastifyContextConfig {
    /** Consumes no quota, not even the global one. Only for routes that cost next to nothing. */
    rateLimitExempt?: true
    /** The quota that this route consumes in addition to the global one. */
    bucket?: Bucket
    /**
     * Refunds the bucket when the body is invalid, so that typing errors do not exhaust a small quota. The global quota
     * is not refunded.
     */
    refundsInvalidBodies?: boolean
  }
}

/** Statuses of invalid bodies: schema failure, too large, wrong media type. */
const INVALID_BODY_STATUSES: ReadonlySet<number> = new Set([400, 413, 415])

/** How long a process caches that a quota is exhausted if another process may refund it. */
const REFUNDABLE_MEMORY_MS = 1_000

interface Quota extends KeyedQuota {
  name: string
  policy: string
}

interface CountedQuota extends QuotaUsage {
  quota: Quota
}

/** What a request consumes. */
interface QuotaUse extends Partial<PendingConsumption> {
  /** The global quota, then the route's bucket. */
  quotas: Quota[]
  /** On routes with refundsInvalidBodies. */
  refundable?: { counted: CountedQuota[]; refund: (consumption: Consumption) => Promise<void> }
}

type Options = { config: Pick<Config, 'rateLimits' | 'quotas'> }

/**
 * Adds an onRequest hook that counts each request against the quotas of its client, and an onSend hook that adds their headers.
 * Decorates the app with `consumeMore`. A client is the wallet of a valid token, else an address: an invalid token consumes no wallet's quota.
 */
export default fp<Options>(
  async (app, { config: { rateLimits, quotas } }) => {
    const rejections = app.metrics.counter(
      'http_requests_limited_total',
      'Requests rejected by a rate limit, by bucket',
      ['operation', 'bucket'],
    )
    let consumeMore: FastifyInstance['consumeMore'] = async () => {}
    app.decorate('consumeMore', (request, reply, units) => consumeMore(request, reply, units))
    app.decorateReply('quotaHeaders', null)
    if (!rateLimits) return
    const refuse = (request: FastifyRequest, { name }: Quota, resetMs: number): AppError => {
      rejections.inc({ operation: operationOf(request), bucket: name })
      return new AppError('RATE_LIMITED', { bucket: name }, { retryAfter: resetMs / 1000 })
    }
    const findQuota = prepareQuotas(quotas)
    const findQuotas = ({ route: { config } }: FastifyRequest, client: string): Quota[] => {
      const bucket = config?.bucket
      const global = findQuota(client, 'global')
      return bucket ? [global, findQuota(client, bucket)] : [global]
    }

    app.decorateRequest('quotaUse', null)
    const counter = createQuotaCounter(app)
    await app.register(rateLimit, {
      global: false,
      store: createQuotaStore(),
      // The key is the consumption itself: see createQuotaStore.
      keyGenerator: (request) => request.quotaUse as unknown as string,
    })
    const limit = app.createRateLimit()
    const limitPending = async (request: FastifyRequest, use: QuotaUse, pending: Promise<RefundableResult>) => {
      use.pending = pending
      const verdict = await limit(request)
      return { ...(await pending), granted: verdict.isAllowed || !verdict.isExceeded }
    }
    /**
     * Consumes all of these quotas, or none. In this process they are counted at once: the library would make seven promises of
     * that.
     */
    const consume = (request: FastifyRequest, use: QuotaUse, quotas: readonly KeyedQuota[]) => {
      const counted = counter(quotas)
      return counted instanceof Promise ? limitPending(request, use, counted) : counted
    }

    /** Reset times of exhausted quotas, by key: rejecting a flood then needs no cache request. */
    const exhausted = new LRUCache<string, number>({ ...limitEntries(10_000), ttlResolution: 0 })
    const rememberExhausted = ({ key }: Quota, resetMs: number, { route: { config } }: FastifyRequest) => {
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

    consumeMore = async (request, reply, units) => {
      const use = request.quotaUse
      const quota = use?.quotas[0]
      const cost = Math.min(units, (quota?.limit ?? 0) - 1)
      if (!use || !quota || cost <= 0) return
      const { granted, usages } = await consume(request, use, [{ ...quota, cost }])
      const balance = usages[0] as QuotaUsage
      reply.quotaHeaders = toQuotaHeaders([{ quota, ...balance }])
      if (!granted) throw refuse(request, quota, balance.resetMs)
    }

    const settle = (
      request: FastifyRequest,
      reply: FastifyReply,
      use: QuotaUse,
      { granted, usages, refund }: RefundableResult,
    ): AppError | undefined => {
      const counted = use.quotas.map((quota, at) => {
        const { used, resetMs, slot } = usages[at] as QuotaUsage
        return { quota, used, resetMs, slot }
      })
      reply.quotaHeaders = toQuotaHeaders(counted)
      const empty = granted ? undefined : counted.find(({ quota, used }) => used >= quota.limit)
      if (!empty) {
        if (request.route.config?.refundsInvalidBodies) use.refundable = { counted, refund }
        return undefined
      }
      rememberExhausted(empty.quota, empty.resetMs, request)
      return refuse(request, empty.quota, empty.resetMs)
    }
    /** Calls `done` at once unless the quotas are counted elsewhere: a promise for each request would cost more than counting. */
    const count = (
      request: FastifyRequest,
      reply: FastifyReply,
      client: string,
      done: (error?: Error) => void,
    ): void => {
      const use: QuotaUse = { quotas: findQuotas(request, client) }
      request.quotaUse = use
      const known = findExhausted(use.quotas)
      if (known) {
        reply.quotaHeaders = toQuotaHeaders([{ ...known, used: known.quota.limit }])
        done(refuse(request, known.quota, known.resetMs))
        return
      }
      const result = consume(request, use, use.quotas)
      if (result instanceof Promise) result.then((counted) => done(settle(request, reply, use, counted)), done)
      else done(settle(request, reply, use, result))
    }
    app.addHook('onRequest', (request, reply, done) => {
      if (request.route.config?.rateLimitExempt) return done()
      const countFor = (wallet: string | null) =>
        count(request, reply, wallet ?? toAddressKey(request.ip, request.socket.remoteAddress), done)
      const wallet = app.findRateLimitWallet(request)
      if (wallet instanceof Promise) wallet.then(countFor, done)
      else countFor(wallet)
    })

    app.addHook('onSend', (_request, reply, payload, done) => {
      if (reply.quotaHeaders) reply.headers(reply.quotaHeaders)
      done(null, payload)
    })

    const refundInvalidBody = async (request: FastifyRequest, reply: FastifyReply) => {
      const { counted = [], refund } = request.quotaUse?.refundable ?? {}
      const bucket = counted.at(-1)
      if (!bucket || !INVALID_BODY_STATUSES.has(reply.statusCode)) return
      await refund?.({ key: bucket.quota.key, slot: bucket.slot })
      const used = bucket.used - 1
      const refunded = { ...bucket, used, resetMs: used === 0 ? 0 : bucket.resetMs }
      reply.headers(toQuotaHeaders([...counted.slice(0, -1), refunded]))
    }
    // Refund before the response is sent, so that the client can retry at once.
    app.addHook('onRoute', (route) => {
      if (route.config?.bucket && route.config.refundsInvalidBodies)
        route.onSend = [refundInvalidBody, ...[route.onSend ?? []].flat()]
    })
  },
  { name: 'rate-limits', dependencies: ['auth', 'cache', 'metrics'] },
)

/** Each quota for any client, with what does not depend on the client computed once. */
function prepareQuotas(quotas: Config['quotas']): (client: string, name: keyof Config['quotas']) => Quota {
  const prepared = new Map(
    Object.entries(quotas).map(([name, { limit, windowSeconds }]) => {
      const policy = describePolicy(name, limit, windowSeconds)
      return [name, { name, limit, windowMs: windowSeconds * 1000, suffix: `}:${name}/${windowSeconds}`, policy }]
    }),
  )
  return (client, wanted) => {
    const { name, limit, windowMs, policy, suffix } = prepared.get(wanted)!
    // The hash tag in braces keeps all keys of one request in the same Redis Cluster slot.
    return { key: `quota:{${client}${suffix}`, name, limit, windowMs, policy }
  }
}
