import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Db } from '../db/client.ts'
import type { Databases } from './services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The database for this request, and for transactions in it. */
    db: Db
  }
}

/** A pool of the primary. */
export type PrimaryPool = Exclude<keyof Databases, 'lateReads'>

const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

/** The pool of the primary for a request: see docs/limits-and-degradation.md. */
export const primaryPoolOf = (request: FastifyRequest): PrimaryPool => (isRead(request) ? 'reads' : 'writes')

/**
 * Only a read without a token: a wallet that has signed in may just have written something, and must see it. A health
 * probe is about the primary.
 */
const mayBeLate = (request: FastifyRequest): boolean =>
  isRead(request) && request.headers.authorization === undefined && !request.routeOptions.config?.healthProbe

/** Sets request.db, before anything in the request needs it. */
export default fp(
  async (app) => {
    app.decorateRequest('db')
    app.addHook('onRequest', (request, _reply, done) => {
      request.db = app.databases[mayBeLate(request) ? 'lateReads' : primaryPoolOf(request)]
      done()
    })
  },
  { name: 'request-db', dependencies: ['services'] },
)
