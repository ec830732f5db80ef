import fp from 'fastify-plugin'
import { shareResult } from '../lib/concurrency/share-result.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Coalesces and caches the result of `work` for a second, across both mounts. One name must always mean the same
     * work.
     */
    shareResult<T>(name: string, work: () => Promise<T>): Promise<T>
  }
}

const KEEP_MS = 1_000

export default fp(
  async (app) => {
    const shared = new Map<string, () => Promise<unknown>>()
    app.decorate('shareResult', <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const run = shared.get(name) ?? shareResult(work, KEEP_MS)
      shared.set(name, run)
      return run() as Promise<T>
    })
  },
  { name: 'shared-results' },
)
