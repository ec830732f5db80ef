import fp from 'fastify-plugin'
import type { Transaction } from 'kysely'
import type { Database } from '../db/schema.ts'
import type { LiveBus } from '../lib/live/live-events.ts'

declare module 'fastify' {
  interface FastifyInstance {
    live: LiveBus
    /** Does the work in a transaction; what it announced is heard as soon as it has committed. */
    transactionWithEvents: <T>(work: (trx: Transaction<Database>) => Promise<T>) => Promise<T>
  }
}

/** Puts the bus that the process opened where routes and sockets find it. */
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
