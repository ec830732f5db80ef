import fp from 'fastify-plugin'
import { readingLate } from '../db/read-replica.ts'

/**
 * Lets a replica of the database answer reads. Whoever signed in may just have written something, and must see it: what
 * carries a token is answered by the primary, as is every write and all that its answer holds.
 */
export default fp(
  async (app) => {
    if (app.replica === null) return
    app.addHook('onRequest', ({ method, headers, routeOptions: { config } }, _reply, done) => {
      const mayBeLate = (method === 'GET' || method === 'HEAD') && headers.authorization === undefined && !config?.vital
      if (mayBeLate) readingLate(done)
      else done()
    })
  },
  { name: 'replica-reads', dependencies: ['services'] },
)
