import { setImmediate } from 'node:timers/promises'
import type { RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import { tagOf } from '../lib/http/caching-headers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Coalesces identical anonymous GET requests. Set it only where the response depends on nothing but the URL and
     * stored data.
     */
    coalesce?: true
  }
}

/** A serialized response before compression. */
interface SerializedResponse {
  bytes: Buffer
  tag: string
}

interface InFlight {
  /** Settles when the current computation has succeeded or failed. Never rejects. */
  settled: Promise<void>
  /** The computation that starts afterwards; null while no request waits for one. */
  next: Promise<SerializedResponse> | null
}

/**
 * Adds an onRoute hook that coalesces identical anonymous GET requests. Nothing is cached: a request that arrives while
 * a response is computed waits for the next computation, so it always reads data committed before it arrived.
 */
export default fp(
  async (app) => {
    const inFlight = new Map<string, InFlight>()

    const coalesce = (key: string, make: () => Promise<SerializedResponse>): Promise<SerializedResponse> => {
      // Requests in the same event-loop tick share one response.
      const entry = inFlight.get(key) ?? { settled: setImmediate(), next: null }
      if (entry.next !== null) return entry.next
      const begin = () => {
        entry.next = null
        return make()
      }
      const end = () => {
        if (entry.next === null) inFlight.delete(key)
      }
      entry.next = entry.settled.then(begin)
      entry.settled = entry.next.then(end, end)
      inFlight.set(key, entry)
      return entry.next
    }

    app.addHook('onRoute', (route) => {
      if (!route.config?.coalesce || route.method !== 'GET') return
      const { handler } = route
      const answer: RouteHandlerMethod = async function (request, reply) {
        if (request.headers.authorization !== undefined) return handler.call(this, request, reply)
        const { bytes, tag } = await coalesce(request.url, async () => {
          const bytes = Buffer.from(reply.serialize(await handler.call(this, request, reply)) as string)
          return { bytes, tag: tagOf(bytes) }
        })
        reply.headers({ 'content-type': 'application/json; charset=utf-8', etag: tag })
        return bytes
      }
      route.handler = answer
    })
  },
  { name: 'coalesce-responses', dependencies: ['http'] },
)
