import fp from 'fastify-plugin'
import { shareResult } from '../lib/concurrency/share-result.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Runs `work` at most once per second and shares its result or failure, across both mounts. A name must always
     * denote the same work.
     */
    shareResult<T>(name: string, work: () => Promise<T>): Promise<T>
  }
}

const KEEP_MS = 1_000

/** Decorates the app with `shareResult`, which coalesces and caches results by name. */
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
