import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { toAddressKey } from '../lib/http/address-key.ts'
import { createLimiters, type Limiter } from '../lib/rate-limit/create-limiters.ts'
import { type CountedQuota, describePolicy, type QuotaHeaders, toQuotaHeaders } from '../lib/rate-limit/headers.ts'
import { operationOf } from '../lib/telemetry/operation-of.ts'

type QuotaName = keyof Config['quotas']
/** A quota that a route consumes in addition to those of all requests. */
export type Bucket = Exclude<QuotaName, 'global' | 'address'>

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts further units of the request's global quota; `units` beyond the whole quota are capped. Throws RATE_LIMITED. */
    consumeMore(request: FastifyRequest, reply: FastifyReply, units: number): Promise<void>
    /** Counts units of work that is done. Units above the quota reject later requests only. */
    chargeDone(request: FastifyRequest, reply: FastifyReply, units: number): Promise<void>
  }
  interface FastifyRequest {
    /** Whose quotas the request consumes; null on exempt routes and before quotas are counted. */
    quotaKeys: { client: string; address: string } | null
  }
  interface FastifyReply {
    /** The quotas that have counted the request, the global one first; that of the address only if it is exhausted. */
    quotas: CountedQuota[]
    /** The headers of these quotas. An onSend hook adds them, and so do responses that are written without the reply. */
    quotaHeaders: QuotaHeaders | null
  }
  interface FastifyContextConfig {
    /** Consumes no quota, not even the global one. Only for routes that cost next to nothing. */
    rateLimitExempt?: true
    /** The quota that this route consumes in addition to the global one, once its request was found valid. */
    bucket?: Bucket
    /** Whether its bucket counts a request; unset: every one. Called before validation, too. */
    isInBucket?: (request: FastifyRequest) => boolean
  }
}

/** The bucket that counts a request; undefined for none. */
export function bucketOf(request: FastifyRequest): Bucket | undefined {
  const { bucket, isInBucket } = request.route.config ?? {}
  return isInBucket?.(request) === false ? undefined : bucket
}

type Options = { config: Pick<Config, 'rateLimits' | 'quotas'> }
type Verdict = Awaited<ReturnType<Limiter>>

/** Quotas of the address, whatever the token: anyone can make new wallets. */
const BY_ADDRESS: ReadonlySet<QuotaName> = new Set<QuotaName>(['address', 'auth'])

/**
 * Counts each request against the global quota of its client, and the quota of its address, when it arrives, and against the
 * bucket of its route when it is valid: typing errors do not exhaust a small quota. A client is the wallet of a valid token, else
 * an address: an invalid token consumes no wallet's quota. Decorates the app with `consumeMore` and `chargeDone`.
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
    let chargeDone: FastifyInstance['chargeDone'] = async () => {}
    app.decorate('chargeDone', (request, reply, units) => chargeDone(request, reply, units))
    app.decorateReply('quotaHeaders', null)
    if (!rateLimits) return
    app.decorateRequest('quotaKeys', null)
    app.decorateReply('quotas')
    const policies = Object.fromEntries(
      Object.entries(quotas).map(([name, quota]) => [name, describePolicy(name, quota)]),
    ) as Record<QuotaName, string>
    const limiters = await createLimiters(app, quotas, ({ quotaKeys }, name) =>
      BY_ADDRESS.has(name) ? quotaKeys!.address : quotaKeys!.client,
    )

    /** Adds a quota to the headers. Returns its error if it is exhausted. */
    const add = (request: FastifyRequest, reply: FastifyReply, name: QuotaName, verdict: Verdict) => {
      const { isExceeded, remaining, ttl } = verdict
      const counted = { name, policy: policies[name], limit: quotas[name].limit, remaining, ttl }
      reply.quotas = name === 'global' ? [counted] : [...reply.quotas, counted]
      reply.quotaHeaders = toQuotaHeaders(reply.quotas)
      return isExceeded ? refuse(request, name, ttl) : undefined
    }
    /** One unit of the quotas of all requests. */
    const countUnit = (request: FastifyRequest) => Promise.all([limiters.global(request), limiters.address(request)])
    /** Resolves with the error of an exhausted quota. */
    const count = (request: FastifyRequest, reply: FastifyReply): Promise<AppError | undefined> =>
      countUnit(request).then(
        ([global, address]) =>
          add(request, reply, 'global', global) ??
          (address.isExceeded ? add(request, reply, 'address', address) : undefined),
      )
    const refuse = (request: FastifyRequest, bucket: QuotaName, ttl: number): AppError => {
      rejections.inc({ operation: operationOf(request), bucket })
      return new AppError('RATE_LIMITED', { bucket }, { retryAfter: ttl / 1_000 })
    }

    // Without a promise of its own: it runs before every answer from the cache.
    app.addHook('onRequest', (request, reply, done) => {
      if (request.route.config?.rateLimitExempt) return done()
      const countFor = (wallet: string | null) => {
        const address = toAddressKey(request.ip, request.socket.remoteAddress)
        request.quotaKeys = { client: wallet ?? address, address }
        count(request, reply).then(done, done)
      }
      const wallet = app.findRateLimitWallet(request)
      if (wallet instanceof Promise) wallet.then(countFor, done)
      else countFor(wallet)
    })
    app.addHook('onRoute', (route) => {
      const bucket = route.config?.bucket
      if (!bucket) return
      const countBucket: preHandlerHookHandler = (request, reply, done) =>
        bucketOf(request)
          ? void limiters[bucket](request)
              .then((verdict) => add(request, reply, bucket, verdict))
              .then(done, done)
          : done()
      route.preHandler = [...[route.preHandler ?? []].flat(), countBucket]
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (reply.quotaHeaders) reply.headers(reply.quotaHeaders)
      done(null, payload)
    })

    consumeMore = async (request, reply, units) => {
      const most = Math.min(units, quotas.global.limit - 1)
      if (request.quotaKeys === null || most <= 0) return
      const { remaining, ttl } = reply.quotas[0]!
      // A batch that does not fit consumes nothing.
      if (most > remaining) throw refuse(request, 'global', ttl)
      await Promise.all(Array.from({ length: most - 1 }, () => countUnit(request)))
      const refused = await count(request, reply)
      if (refused) throw refused
    }
    chargeDone = async (request, reply, units) => {
      if (request.quotaKeys === null || units <= 0) return
      await Promise.all(Array.from({ length: units - 1 }, () => countUnit(request)))
      const [{ isExceeded, remaining, ttl }] = await countUnit(request)
      const [global, ...others] = reply.quotas
      reply.quotas = [{ ...global!, remaining: isExceeded ? 0 : remaining, ttl }, ...others]
      reply.quotaHeaders = toQuotaHeaders(reply.quotas)
    }
  },
  { name: 'rate-limits', dependencies: ['auth', 'cache', 'metrics'] },
)
