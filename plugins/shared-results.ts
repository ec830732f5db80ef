import fp from 'fastify-plugin'
import { keepResult } from '../lib/concurrency/keep-result.ts'
import { shareResult } from '../lib/concurrency/share-result.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Runs `work` at most once per second and shares its result or failure, across both mounts. A name must always
     * denote the same work.
     */
    shareResult<T>(name: string, work: () => Promise<T>): Promise<T>
    /**
     * Returns the last result of `work` at once, and renews it in the background when it is older than five seconds.
     * `work` receives the previous result; undefined at first.
     */
    keepResult<T>(name: string, work: (previous?: T) => Promise<T>): Promise<T>
  }
}

const SHARE_MS = 1_000
const RENEW_MS = 5_000

/** Decorates the app with `shareResult` and `keepResult`, which coalesce work and keep its results by name. */
export default fp(
  async (app) => {
    const shared = new Map<string, () => Promise<unknown>>()
    app.decorate('shareResult', <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const run = shared.get(name) ?? shareResult(work, SHARE_MS)
      shared.set(name, run)
      return run() as Promise<T>
    })
    const kept = new Map<string, () => Promise<unknown>>()
    app.decorate('keepResult', <T>(name: string, work: (previous?: T) => Promise<T>): Promise<T> => {
      const run = kept.get(name) ?? keepResult(work, RENEW_MS)
      kept.set(name, run)
      return run() as Promise<T>
    })
  },
  { name: 'shared-results' },
)
