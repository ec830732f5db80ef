import { setImmediate } from 'node:timers/promises'
import type { RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import { tagOf } from '../lib/http/caching-headers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Without a token its answer is a function of the URL and of what is stored: who asks the same at once shares one. */
    coalesce?: true
  }
}

/** An answer before it is compressed. */
interface SerializedResponse {
  bytes: Buffer
  tag: string
}

interface InFlight {
  /** When the answer that is being made is there, or has failed. Never rejects. */
  settled: Promise<void>
  /** The answer after it, of which nothing has been read yet; null while nobody waits for one. */
  next: Promise<SerializedResponse> | null
}

/**
 * Makes one answer for all who ask the same at once. Nothing is kept: whoever asks while an answer is being made waits for
 * the next one, so that everybody sees all that was committed before they asked. What everybody looks at then costs the
 * database one read at a time, however many look.
 */
export default fp(
  async (app) => {
    const inFlight = new Map<string, InFlight>()

    const coalesce = (key: string, make: () => Promise<SerializedResponse>): Promise<SerializedResponse> => {
      // What came in with the same turn of the event loop shares the first answer, too.
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
