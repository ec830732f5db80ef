import type { RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../config/config.ts'
import { createSemaphore, type Semaphore } from '../lib/concurrency/semaphore.ts'

/**
 * Kinds of reads that hold connections for long.
 *
 * - aggregate: reads many rows of a wallet, a token or the market
 * - replay: reads stored logs and sums them up in this process
 */
export type HeavyRead = 'aggregate' | 'replay'

declare module 'fastify' {
  interface FastifyInstance {
    /** Runs the work of a request, once a slot of its kind is free if it is a heavy read. Rejects with OVERLOADED. */
    runHeavyRead<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>
  }
  interface FastifyContextConfig {
    /** Bounds how many requests of this kind read at a time in this process. */
    heavyRead?: HeavyRead | ((request: FastifyRequest) => HeavyRead | undefined)
  }
}

/** Further ones get 503. */
const QUEUE_SIZE = 100
const MAX_REPLAYS = 2

/**
 * Keeps most connections for reads free of heavy ones. A handler waits here before it takes a connection. Routes with `cache`
 * call runHeavyRead in plugins/response-cache.ts, so that a kept response needs no slot.
 */
export default fp<{ config: Pick<Config, 'database'> }>(
  async (app, { config: { database } }) => {
    const createSlots = (concurrency: number) =>
      createSemaphore({ concurrency, queueSize: QUEUE_SIZE, queueTimeoutMs: database.lockMs })
    // A third, because a handler may run two statements at a time.
    const third = Math.max(1, Math.floor(database.readConnections / 3))
    const slots: Readonly<Record<HeavyRead, Semaphore>> = {
      aggregate: createSlots(third),
      replay: createSlots(Math.min(MAX_REPLAYS, third)),
    }
    app.decorate('runHeavyRead', (request, work) => {
      const { heavyRead } = request.route.config ?? {}
      const kind = typeof heavyRead === 'function' ? heavyRead(request) : heavyRead
      return kind === undefined ? work() : slots[kind](work)
    })
    app.addHook('onRoute', (route) => {
      const { heavyRead, cache } = route.config ?? {}
      if (!heavyRead || cache || route.method !== 'GET') return
      const { handler } = route
      const bounded: RouteHandlerMethod = function (request, reply) {
        return app.runHeavyRead(request, async () => handler.call(this, request, reply))
      }
      route.handler = bounded
    })
  },
  { name: 'heavy-reads' },
)
