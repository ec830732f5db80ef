import fp from 'fastify-plugin'
import type { Transaction } from 'kysely'
import { enqueueEvents, toChangeEvent } from '../../db/queries/outbox.ts'
import type { Database } from '../../db/schema.ts'
import { ALL_CACHE_TAGS } from '../../lib/cache/data-versions.ts'
import type { LiveBus } from './live-event.ts'

declare module 'fastify' {
  interface FastifyInstance {
    live: LiveBus
    /**
     * Runs a transaction on the primary that changes data which the API serves, and delivers the events that it
     * enqueued right after the commit. `cacheTags` (of lib/cache/data-versions.ts) are those that it changes; all, unless
     * given.
     */
    transactionWithEvents: <T>(
      work: (trx: Transaction<Database>) => Promise<T>,
      cacheTags?: readonly string[] | ((result: T) => readonly string[]),
    ) => Promise<T>
  }
}

/** Decorates the app with the live event bus and `transactionWithEvents`. */
export default fp<{ live: LiveBus }>(
  async (app, { live }) => {
    app.decorate('live', live)
    app.decorate('transactionWithEvents', async (work, cacheTags = ALL_CACHE_TAGS) => {
      const { result, change } = await app.databases.writes.transaction().execute(async (trx) => {
        const result = await work(trx)
        const changed = typeof cacheTags === 'function' ? cacheTags(result) : cacheTags
        const seq = await enqueueEvents(trx, [toChangeEvent(changed)])
        return { result, change: { seq, cacheTags: changed } }
      })
      live.notifyCommitted(change)
      return result
    })
  },
  { name: 'live-events', dependencies: ['services'] },
)
