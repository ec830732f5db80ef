import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { Balance, KeyedQuota, Taking } from '../lib/cache/cache.ts'
import { toAddressKey } from '../lib/http/address-key.ts'
import { describeStandings, type Standing } from '../lib/rate-limit/headers.ts'
import { createLedger, type Entry } from '../lib/rate-limit/ledger.ts'
import { createQuotaStore, type Draw } from '../lib/rate-limit/quota-store.ts'
import { operationOf } from '../lib/telemetry/operation-of.ts'

/** A quota that some routes draw on besides the global one. */
export type Bucket = Exclude<keyof Config['quotas'], 'global'>

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Takes more of a request's global quota than the one that it began with, or throws RATE_LIMITED. What costs more than
     * the whole quota takes all of it.
     */
    takeMore(request: FastifyRequest, reply: FastifyReply, units: number): Promise<void>
  }
  interface FastifyContextConfig {
    /** Draws on no quota, not even the global one: only for what costs next to nothing however often it is asked for. */
    uncounted?: true
    /** The quota that this route draws on besides the global one. */
    bucket?: Bucket
    /**
     * The bucket gives back what a refused body took: for forms of a small quota, which typing errors would use up for long.
     * Only where refusing costs next to nothing. The global quota keeps its taking.
     */
    sparesRefused?: boolean
  }
}

/** A body that is not what the schema says, too large, or of another type. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 415])

/** How long a replica believes that a quota is used up which may be given back at another. */
const SPARED_MEMORY_MS = 1_000

interface Quota extends KeyedQuota {
  name: string
  windowSeconds: number
}

interface Drawn extends Balance {
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
    const refused = app.metrics.counter(
      'http_requests_limited_total',
      'Requests refused by a rate limit, by its bucket',
      ['operation', 'bucket'],
    )
    let takeMore: FastifyInstance['takeMore'] = async () => {}
    app.decorate('takeMore', (request, reply, units) => takeMore(request, reply, units))
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

    const draws = new WeakMap<FastifyRequest, Draw>()
    const nothing: Draw = { quotas: [] }
    await app.register(rateLimit, {
      global: false,
      store: createQuotaStore(createLedger(app)),
      // See createQuotaStore: the key is the draw itself.
      keyGenerator: (request) => (draws.get(request) ?? nothing) as unknown as string,
    })
    const limit = app.createRateLimit()
    /** Takes these quotas, or none of them. */
    const take = async (request: FastifyRequest, quotas: readonly KeyedQuota[]): Promise<Entry> => {
      const draw: Draw = { quotas }
      draws.set(request, draw)
      await limit(request)
      return draw.entry as Entry
    }

    /** When quotas that were found used up come back, by key: until then a flood costs the cache nothing. */
    const usedUp = new LRUCache<string, number>({ max: 10_000, ttlResolution: 0 })
    const remember = ({ key }: Quota, resetMs: number, { routeOptions: { config } }: FastifyRequest) => {
      const memory = config?.sparesRefused ? { ttl: Math.min(resetMs, SPARED_MEMORY_MS) } : {}
      usedUp.set(key, performance.now() + resetMs, memory)
    }
    const findUsedUp = (drawn: readonly Quota[]) => {
      if (usedUp.size === 0) return undefined
      for (const quota of drawn) {
        const resetMs = (usedUp.get(quota.key) ?? 0) - performance.now()
        if (resetMs > 0) return { quota, resetMs }
      }
      return undefined
    }

    /** The global quota of each request under way. */
    const globals = new WeakMap<FastifyRequest, Quota>()
    takeMore = async (request, reply, units) => {
      const quota = globals.get(request)
      const cost = Math.min(units, (quota?.limit ?? 0) - 1)
      if (!quota || cost <= 0) return
      const { granted, balances } = await take(request, [{ ...quota, cost }])
      const balance = balances[0] as Balance
      tell(reply, [{ quota, ...balance }])
      if (!granted) refuse(request, quota, balance.resetMs)
    }

    app.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.config?.uncounted) return
      const asked = findQuotas(request, await findClient(request))
      globals.set(request, asked[0] as Quota)
      const known = findUsedUp(asked)
      if (known) {
        reply.headers(describeStandings([toStanding(known.quota, known.quota.limit, known.resetMs)]))
        refuse(request, known.quota, known.resetMs)
      }
      const { granted, balances, giveBack } = await take(request, asked)
      const found = asked.map((quota, at) => ({ quota, ...(balances[at] as Balance) }))
      tell(reply, found)
      const empty = granted ? undefined : found.find(({ quota, used }) => used >= quota.limit)
      if (!empty) {
        if (request.routeOptions.config?.sparesRefused) drawn.set(request, { found, giveBack })
        return
      }
      remember(empty.quota, empty.resetMs, request)
      refuse(request, empty.quota, empty.resetMs)
    })

    /** What requests under way, of routes that spare refused bodies, were counted as. */
    const drawn = new WeakMap<FastifyRequest, { found: Drawn[]; giveBack: (taking: Taking) => Promise<void> }>()
    const spare = async (request: FastifyRequest, reply: FastifyReply) => {
      const { found = [], giveBack } = drawn.get(request) ?? {}
      const bucket = found.at(-1)
      if (!bucket || !REFUSED.has(reply.statusCode)) return
      await giveBack?.({ key: bucket.quota.key, slot: bucket.slot })
      const used = bucket.used - 1
      tell(reply, [...found.slice(0, -1), { ...bucket, used, resetMs: used === 0 ? 0 : bucket.resetMs }])
    }
    // Before the answer leaves, so that whoever has read it may try again at once.
    app.addHook('onRoute', (route) => {
      if (route.config?.bucket && route.config.sparesRefused) route.onSend = [spare, ...[route.onSend ?? []].flat()]
    })
  },
  { name: 'rate-limits', dependencies: ['auth', 'cache', 'metrics'] },
)

const findClient = async (request: FastifyRequest): Promise<string> =>
  (await request.server.findCountedWallet(request)) ?? toAddressKey(request.ip, request.socket.remoteAddress)

const tell = (reply: FastifyReply, drawn: readonly Drawn[]) =>
  reply.headers(describeStandings(drawn.map(({ quota, used, resetMs }) => toStanding(quota, used, resetMs))))

const toStanding = ({ name, limit, windowSeconds }: Quota, used: number, resetMs: number): Standing => ({
  name,
  limit,
  windowSeconds,
  remaining: Math.max(0, limit - used),
  resetSeconds: Math.ceil(resetMs / 1000),
})
