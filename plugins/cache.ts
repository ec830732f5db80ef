import fp from 'fastify-plugin'
import type { Cache } from '../lib/cache/cache.ts'

declare module 'fastify' {
  interface FastifyInstance {
    cache: Cache
  }
}

/** Decorates the app with the cache that the process opened. */
export default fp<{ cache: Cache }>(async (app, { cache }) => void app.decorate('cache', cache), { name: 'cache' })
