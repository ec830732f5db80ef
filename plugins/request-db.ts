import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Db } from '../db/client.ts'
import type { Databases } from './services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The replica for anonymous reads, else a pool of the primary. Transactions run on the primary. */
    db: Db
  }
}

/** Name of a pool of the primary. */
export type PrimaryPool = Exclude<keyof Databases, 'replicaReads'>

const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

/** The primary's pool for a request: see docs/limits-and-degradation.md. */
export const primaryPoolOf = (request: FastifyRequest): PrimaryPool => (isRead(request) ? 'reads' : 'writes')

/** Only anonymous reads may use a replica: a signed-in wallet must see its own writes. Health probes check the primary. */
const mayLag = (request: FastifyRequest): boolean =>
  isRead(request) && request.headers.authorization === undefined && !request.route.config?.healthProbe

/** Adds an onRequest hook that sets `request.db`. Register it before plugins that query in their hooks. */
export default fp(
  async (app) => {
    app.decorateRequest('db')
    app.addHook('onRequest', (request, _reply, done) => {
      request.db = app.databases[mayLag(request) ? 'replicaReads' : primaryPoolOf(request)]
      done()
    })
  },
  { name: 'request-db', dependencies: ['services'] },
)
