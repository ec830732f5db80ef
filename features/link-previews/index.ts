import { hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../../config.ts'
import type { Cache } from '../../lib/cache/cache.ts'
import { createChildPool } from '../../lib/child-pool/child-pool.ts'
import { makePlate } from '../../lib/images/make-plate.ts'
import { childSandbox } from '../images/sandbox.ts'
import { type Brand, type Card, type CardJob, type Ratio, ratios } from './card.ts'
import { type CardRequest, keyOf } from './key.ts'
import { palette } from './palette.ts'

export interface Drawn {
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
  draw(request: CardRequest): Promise<Drawn>
}

declare module 'fastify' {
  interface FastifyInstance {
    cards: Cards
  }
}

/** Cards that wait for a child. More would wait longer than anybody who asks for a preview does. */
const QUEUE = 24
/** A card takes some tens of milliseconds. What takes this long is stuck, and its process is killed. */
const STUCK_MS = 10_000
/** A child holds fonts and layouts in some 250 MB. */
const CHILD_BYTES = 768 * 1024 * 1024
const MEMORY_BYTES = 48 * 1024 * 1024
const SHARED_SECONDS = 3_600
/** How long a card may stand in for the present one: what was changed or hidden since must not be shown for ever. */
const STAND_IN_MS = 600_000

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
    const room = QUEUE + Object.keys(ratios).length
    const wallMs = Math.max(STUCK_MS, 2 * config.ogPatienceMs)
    const pool = createChildPool<CardJob, Uint8Array>({
      ...{ ...childSandbox, entry: new URL('./worker.ts', import.meta.url), heapMb: 256 },
      children: Math.min(config.ogWorkers, availableParallelism()),
      waiting: { total: room, perOwner: room, ms: wallMs },
      limits: { startMs: 20_000, wallMs, cpuMs: STUCK_MS, bytes: CHILD_BYTES },
      idleMs: 120_000,
    })
    app.images.watch('cards', pool)
    app.metrics.gauge('og_queue_size', 'Drawings that wait for a worker', () => pool.waiting)
    app.metrics.gauge('og_workers', 'Processes that draw', () => pool.children)
    const run = (job: CardJob) => app.images.guard(nameHostileParts(job), () => pool.run(job))
    const place = { brand, shared, queueSize: () => pool.waiting, patienceMs: config.ogPatienceMs }
    app.decorate('cards', createCards(place, run))
    // The first card costs a second (fonts, the layout engine): better now than when a link is shared.
    app.addHook('onListen', async () => {
      for (const ratio of Object.keys(ratios) as Ratio[]) void app.cards.draw({ card: { kind: 'brand' }, ratio })
    })
    app.addHook('onClose', () => pool.close())
  },
  { name: 'cards', dependencies: ['cache', 'images', 'metrics'] },
)

/** What of a card a stranger wrote; its figures change with every trade, and end no process. */
const nameHostileParts = ({ card, image }: CardJob): string => {
  const texts = card.kind === 'token' ? [card.name, card.symbol] : []
  return JSON.stringify(['card', ...texts, image && hash('sha256', image, 'hex')])
}

interface Place {
  brand: Brand
  /** Where replicas find each other's cards; null if there is but one. */
  shared: Cache | null
  queueSize: () => number
  /** How long an answer waits for its card; the card is finished all the same, and there for the next who asks. */
  patienceMs: number
}

/** Cards by what they show, each drawn once; `render` draws one. */
export function createCards(
  { brand, shared, queueSize, patienceMs }: Place,
  render: (job: CardJob) => Promise<Uint8Array>,
): Cards {
  const drawn = new LRUCache<string, Buffer>({ maxSize: MEMORY_BYTES, sizeCalculation: (png) => png.length })
  /** The last card of a subject, by its key: what is shown while the present one cannot be. */
  const latest = new LRUCache<string, string>({ max: 10_000, ttl: STAND_IN_MS })
  const drawing = new Map<string, Promise<Buffer>>()

  const keep = (key: string, png: Buffer) => {
    drawn.set(key, png)
    return png
  }
  const renderOrFind = async (key: string, { card, ratio, image }: CardRequest): Promise<Buffer> => {
    const kept = await shared?.get(`og:${key}`).catch(() => null)
    if (kept) return keep(key, Buffer.from(kept, 'base64'))
    if (card.kind === 'token' && queueSize() >= QUEUE) throw new Error('Too many cards are waiting')
    const png = Buffer.from(await render({ card, brand, ratio, image: image?.png ?? null }))
    void shared?.set(`og:${key}`, png.toString('base64'), SHARED_SECONDS).catch(() => {})
    return keep(key, png)
  }
  /** One drawing at a time of what is equal. */
  const obtain = (key: string, request: CardRequest): Promise<Buffer> => {
    const running = drawing.get(key)
    if (running) return running
    const started = renderOrFind(key, request).finally(() => drawing.delete(key))
    drawing.set(key, started)
    return started
  }
  const standIn = async ({ subject, ratio }: CardRequest): Promise<Drawn> => {
    const older = latest.get(`${subject}:${ratio}`)
    const png = older && drawn.get(older)
    if (png) return { png, key: older, fresh: false }
    const request = { card: { kind: 'brand' } as Card, ratio }
    const key = keyOf(brand, request)
    const own = drawn.get(key) ?? (await settle(obtain(key, request), patienceMs))
    if (own) return { png: own, key, fresh: false }
    const { width, height } = ratios[ratio]
    return { png: makePlate(width, height, palette.ground), key: `plate-${ratio}`, fresh: false }
  }

  return {
    keyOf: (request) => keyOf(brand, request),
    draw: async (request) => {
      // Nothing is known of the subject now; something may have been drawn of it before.
      if (request.card.kind === 'brand' && request.subject) return standIn(request)
      const key = keyOf(brand, request)
      const png = drawn.get(key) ?? (await settle(obtain(key, request), patienceMs))
      if (!png) return standIn(request)
      if (request.subject) latest.set(`${request.subject}:${request.ratio}`, key)
      return { png, key, fresh: true }
    },
  }
}

/** What a promise comes to; null if that is a failure, or takes too long. */
async function settle<T>(promise: Promise<T>, milliseconds: number): Promise<T | null> {
  const { promise: deadline, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), milliseconds)
  try {
    return await Promise.race([promise.catch(() => null), deadline])
  } finally {
    clearTimeout(timer)
  }
}
