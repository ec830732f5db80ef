import fp from 'fastify-plugin'
import type { Storage } from '../lib/storage/storage.ts'

declare module 'fastify' {
  interface FastifyInstance {
    storage: Storage
  }
}

/** Decorates the app with the storage of uploads, which connects on first use. */
export default fp<{ storage: Storage }>(
  async (app, { storage }) => {
    app.decorate('storage', storage)
    app.addHook('onClose', () => storage.close())
  },
  { name: 'storage' },
)
