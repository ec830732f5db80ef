import { hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../../config/config.ts'
import type { Cache } from '../../lib/cache/cache.ts'
import { limitEntries } from '../../lib/cache/limit-entries.ts'
import { createChildPool } from '../../lib/child-pool/child-pool.ts'
import { makeSolidPng } from '../../lib/images/make-solid-png.ts'
import { childSandbox } from '../images/sandbox.ts'
import { type Brand, type Card, type CardJob, type Ratio, ratios } from './card.ts'
import { type CardRequest, keyOf } from './key.ts'
import { palette } from './palette.ts'

export interface RenderedCard {
  png: Buffer
  /** Identifies the image; used as a validator. */
  key: string
  /** False for a fallback: request the card again soon. */
  fresh: boolean
}

export interface Cards {
  /** The key of the image that the request renders. */
  keyOf(request: CardRequest): string
  /** Never rejects. If the card is not rendered in time, returns an older card of the subject, else the brand's. */
  draw(request: CardRequest): Promise<RenderedCard>
}

declare module 'fastify' {
  interface FastifyInstance {
    cards: Cards
  }
}

/** Token cards that may wait for a child process. More would exceed the timeouts of link preview crawlers. */
const MAX_QUEUED = 24
/** A card takes some tens of milliseconds. A child that takes this long is stuck, and is killed. */
const RENDER_TIMEOUT_MS = 10_000
/** Other work of the start comes first: requests that waited for it, the indexer. */
const WARM_UP_AFTER_MS = 10_000
/** A child uses some 250 MB for fonts and layouts. */
const CHILD_BYTES = 768 * 1024 * 1024
const MEMORY_BYTES = 48 * 1024 * 1024
const SHARED_SECONDS = 3_600
/** How long a card may serve as a fallback: later edits and hidden tokens must take effect. */
const FALLBACK_TTL_MS = 600_000

interface Options {
  config: Pick<Config, 'brand' | 'ogPatienceMs' | 'ogWorkers' | 'redis'>
}

/** Decorates the app with `cards`: link previews, rendered in child processes and cached. */
export default fp<Options>(
  async (app, { config }) => {
    const brand: Brand = { ...config.brand, host: new URL(config.brand.url).host }
    // Without Redis, app.cache is in this process and would store the same bytes twice.
    const shared = config.redis === null ? null : app.cache
    // Reserve room for the brand's cards, which are never rejected.
    const queueTotal = MAX_QUEUED + Object.keys(ratios).length
    const wallMs = Math.max(RENDER_TIMEOUT_MS, 2 * config.ogPatienceMs)
    const pool = createChildPool<CardJob, Uint8Array>({
      ...{ ...childSandbox, entry: new URL('./worker.ts', import.meta.url), heapMb: 256 },
      maxChildren: Math.min(config.ogWorkers, availableParallelism()),
      queue: { total: queueTotal, perOwner: queueTotal, timeoutMs: wallMs },
      limits: { startMs: 20_000, wallMs, cpuMs: RENDER_TIMEOUT_MS, bytes: CHILD_BYTES },
      idleMs: 120_000,
    })
    app.images.watch('cards', pool)
    app.metrics.gauge('og_queue_size', 'Link previews waiting for a worker', () => pool.queued)
    app.metrics.gauge('og_workers', 'Child processes that draw link previews', () => pool.children)
    const run = (job: CardJob) => app.images.guard(untrustedPartsOf(job), () => pool.run(job))
    const context = { brand, shared, queueSize: () => pool.queued, waitMs: config.ogPatienceMs }
    app.decorate('cards', createCards(context, run))
    // The first card takes a second (fonts, layout engine): render it before a link is shared, in one child.
    const drawBrand = async () => {
      for (const ratio of Object.keys(ratios) as Ratio[]) await app.cards.draw({ card: { kind: 'brand' }, ratio })
    }
    let timer: NodeJS.Timeout | undefined
    app.addHook('onListen', async () => {
      timer = setTimeout(drawBrand, WARM_UP_AFTER_MS).unref()
    })
    app.addHook('onClose', () => {
      clearTimeout(timer)
      return pool.close()
    })
  },
  { name: 'cards', dependencies: ['cache', 'images', 'metrics'] },
)

/** The untrusted parts of a card. Its figures change with every trade and cannot crash a renderer. */
const untrustedPartsOf = ({ card, image }: CardJob): string => {
  const texts = card.kind === 'brand' ? [] : [card.name, card.symbol, ...(card.kind === 'profit' ? [card.trader] : [])]
  return JSON.stringify(['card', ...texts, image && hash('sha256', image, 'hex')])
}

interface CardContext {
  brand: Brand
  /** Shared by all processes; null if there is only one. */
  shared: Cache | null
  queueSize: () => number
  /** How long a response waits for its card. Rendering continues after that, for later requests. */
  waitMs: number
}

/** Caches cards by key and coalesces their rendering; `render` draws one card. */
export function createCards(
  { brand, shared, queueSize, waitMs }: CardContext,
  render: (job: CardJob) => Promise<Uint8Array>,
): Cards {
  const rendered = new LRUCache<string, Buffer>({ maxSize: MEMORY_BYTES, sizeCalculation: (png) => png.length })
  /** Key of the last card by subject, for fallbacks. */
  const latest = new LRUCache<string, string>({ ...limitEntries(10_000), ttl: FALLBACK_TTL_MS })
  const inFlight = new Map<string, Promise<Buffer>>()

  const keep = (key: string, png: Buffer) => {
    rendered.set(key, png)
    return png
  }
  const renderOrLoad = async (key: string, { card, ratio, image }: CardRequest): Promise<Buffer> => {
    const kept = await shared?.get(`og:${key}`).catch(() => null)
    if (kept) return keep(key, Buffer.from(kept, 'base64'))
    if (card.kind !== 'brand' && queueSize() >= MAX_QUEUED) throw new Error('Too many cards are waiting')
    const png = Buffer.from(await render({ card, brand, ratio, image: image?.png ?? null }))
    void shared?.set(`og:${key}`, png.toString('base64'), SHARED_SECONDS).catch(() => {})
    return keep(key, png)
  }
  /** Coalesces rendering of equal cards. */
  const renderOnce = (key: string, request: CardRequest): Promise<Buffer> => {
    const running = inFlight.get(key)
    if (running) return running
    const started = renderOrLoad(key, request).finally(() => inFlight.delete(key))
    inFlight.set(key, started)
    return started
  }
  const renderFallback = async ({ subject, ratio }: CardRequest): Promise<RenderedCard> => {
    const older = latest.get(`${subject}:${ratio}`)
    const png = older && rendered.get(older)
    if (png) return { png, key: older, fresh: false }
    const request = { card: { kind: 'brand' } as Card, ratio }
    const key = keyOf(brand, request)
    const own = rendered.get(key) ?? (await resolveWithin(renderOnce(key, request), waitMs))
    if (own) return { png: own, key, fresh: false }
    const { width, height } = ratios[ratio]
    return { png: makeSolidPng(width, height, palette.ground), key: `plate-${ratio}`, fresh: false }
  }

  return {
    keyOf: (request) => keyOf(brand, request),
    draw: async (request) => {
      // A brand card with a subject: its data is unavailable, but an older card may exist.
      if (request.card.kind === 'brand' && request.subject) return renderFallback(request)
      const key = keyOf(brand, request)
      const png = rendered.get(key) ?? (await resolveWithin(renderOnce(key, request), waitMs))
      if (!png) return renderFallback(request)
      if (request.subject) latest.set(`${request.subject}:${request.ratio}`, key)
      return { png, key, fresh: true }
    },
  }
}

/** The value of a promise; null if it rejects or takes too long. */
async function resolveWithin<T>(promise: Promise<T>, milliseconds: number): Promise<T | null> {
  const { promise: deadline, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), milliseconds)
  try {
    return await Promise.race([promise.catch(() => null), deadline])
  } finally {
    clearTimeout(timer)
  }
}
