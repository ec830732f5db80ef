import fp from 'fastify-plugin'
import { shareResult } from '../lib/concurrency/share-result.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The result of work that costs the same whoever asks, such as a health check: made once at a time and kept for a second,
     * for both mounts. Work of one name must be the same work.
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
