import fp from 'fastify-plugin'
import type { Transaction } from 'kysely'
import type { Database } from '../db/schema.ts'
import type { LiveBus } from '../lib/live/live-events.ts'

declare module 'fastify' {
  interface FastifyInstance {
    live: LiveBus
    /** Runs a transaction on the primary and delivers the events that it enqueued right after the commit. */
    transactionWithEvents: <T>(work: (trx: Transaction<Database>) => Promise<T>) => Promise<T>
  }
}

/** Decorates the app with the live event bus and `transactionWithEvents`. */
export default fp<{ live: LiveBus }>(
  async (app, { live }) => {
    app.decorate('live', live)
    app.decorate('transactionWithEvents', async (work) => {
      const result = await app.databases.writes.transaction().execute(work)
      live.notifyCommitted()
      return result
    })
  },
  { name: 'live-events', dependencies: ['services'] },
)
