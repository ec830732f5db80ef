import { hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../../config.ts'
import type { Cache } from '../../lib/cache/cache.ts'
import { createChildPool } from '../../lib/child-pool/child-pool.ts'
import { makeSolidPng } from '../../lib/images/make-solid-png.ts'
import { childSandbox } from '../images/sandbox.ts'
import { type Brand, type Card, type CardJob, type Ratio, ratios } from './card.ts'
import { type CardRequest, keyOf } from './key.ts'
import { palette } from './palette.ts'

export interface RenderedCard {
  png: Buffer
  /** What it shows, as a validator. */
  key: string
  /** False for a card that stands in for the one that was asked for: ask again soon. */
  fresh: boolean
}

export interface Cards {
  /** The key of what would be drawn. */
  keyOf(request: CardRequest): string
  /** Never rejects, and is quick even when nothing can be drawn: an older card of the subject then, or the brand's. */
  draw(request: CardRequest): Promise<RenderedCard>
}

declare module 'fastify' {
  interface FastifyInstance {
    cards: Cards
  }
}

/** Cards that wait for a child. More would wait longer than anybody who asks for a preview does. */
const MAX_QUEUED = 24
/** A card takes some tens of milliseconds. What takes this long is stuck, and its process is killed. */
const RENDER_TIMEOUT_MS = 10_000
/** A child holds fonts and layouts in some 250 MB. */
const CHILD_BYTES = 768 * 1024 * 1024
const MEMORY_BYTES = 48 * 1024 * 1024
const SHARED_SECONDS = 3_600
/** How long a card may stand in for the present one: what was changed or hidden since must not be shown for ever. */
const FALLBACK_TTL_MS = 600_000

interface Options {
  config: Pick<Config, 'brand' | 'ogPatienceMs' | 'ogWorkers' | 'redisUrl'>
}

/** Draws link previews in child processes, and keeps what was drawn. */
export default fp<Options>(
  async (app, { config }) => {
    const brand: Brand = { ...config.brand, host: new URL(config.brand.url).host }
    // A cache in this process would hold the same bytes a second time.
    const shared = config.redisUrl === null ? null : app.cache
    // Two more than are let in: the brand's cards are never turned away.
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
    app.metrics.gauge('og_queue_size', 'Drawings that wait for a worker', () => pool.queued)
    app.metrics.gauge('og_workers', 'Processes that draw', () => pool.children)
    const run = (job: CardJob) => app.images.guard(untrustedPartsOf(job), () => pool.run(job))
    const context = { brand, shared, queueSize: () => pool.queued, waitMs: config.ogPatienceMs }
    app.decorate('cards', createCards(context, run))
    // The first card costs a second (fonts, the layout engine): better now than when a link is shared.
    app.addHook('onListen', async () => {
      for (const ratio of Object.keys(ratios) as Ratio[]) void app.cards.draw({ card: { kind: 'brand' }, ratio })
    })
    app.addHook('onClose', () => pool.close())
  },
  { name: 'cards', dependencies: ['cache', 'images', 'metrics'] },
)

/** What of a card a stranger wrote; its figures change with every trade, and end no process. */
const untrustedPartsOf = ({ card, image }: CardJob): string => {
  const texts = card.kind === 'token' ? [card.name, card.symbol] : []
  return JSON.stringify(['card', ...texts, image && hash('sha256', image, 'hex')])
}

interface CardContext {
  brand: Brand
  /** Where replicas find each other's cards; null if there is but one. */
  shared: Cache | null
  queueSize: () => number
  /** How long an answer waits for its card; the card is finished all the same, and there for the next who asks. */
  waitMs: number
}

/** Cards by what they show, each drawn once; `render` draws one. */
export function createCards(
  { brand, shared, queueSize, waitMs }: CardContext,
  render: (job: CardJob) => Promise<Uint8Array>,
): Cards {
  const rendered = new LRUCache<string, Buffer>({ maxSize: MEMORY_BYTES, sizeCalculation: (png) => png.length })
  /** The last card of a subject, by its key: what is shown while the present one cannot be. */
  const latest = new LRUCache<string, string>({ max: 10_000, ttl: FALLBACK_TTL_MS })
  const inFlight = new Map<string, Promise<Buffer>>()

  const keep = (key: string, png: Buffer) => {
    rendered.set(key, png)
    return png
  }
  const renderOrLoad = async (key: string, { card, ratio, image }: CardRequest): Promise<Buffer> => {
    const kept = await shared?.get(`og:${key}`).catch(() => null)
    if (kept) return keep(key, Buffer.from(kept, 'base64'))
    if (card.kind === 'token' && queueSize() >= MAX_QUEUED) throw new Error('Too many cards are waiting')
    const png = Buffer.from(await render({ card, brand, ratio, image: image?.png ?? null }))
    void shared?.set(`og:${key}`, png.toString('base64'), SHARED_SECONDS).catch(() => {})
    return keep(key, png)
  }
  /** One drawing at a time of what is equal. */
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
      // Nothing is known of the subject now; something may have been drawn of it before.
      if (request.card.kind === 'brand' && request.subject) return renderFallback(request)
      const key = keyOf(brand, request)
      const png = rendered.get(key) ?? (await resolveWithin(renderOnce(key, request), waitMs))
      if (!png) return renderFallback(request)
      if (request.subject) latest.set(`${request.subject}:${request.ratio}`, key)
      return { png, key, fresh: true }
    },
  }
}

/** What a promise comes to; null if that is a failure, or takes too long. */
async function resolveWithin<T>(promise: Promise<T>, milliseconds: number): Promise<T | null> {
  const { promise: deadline, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), milliseconds)
  try {
    return await Promise.race([promise.catch(() => null), deadline])
  } finally {
    clearTimeout(timer)
  }
}
