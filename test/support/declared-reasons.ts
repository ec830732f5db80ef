import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/*
 * Checks every app of the process against its own document: an error whose reason its operation does not declare fails the
 * test that is running.
 */

interface Response {
  headers?: Record<string, { schema?: { enum?: string[] } }>
}
type Responses = Record<string, Response>

const documents = new WeakMap<FastifyInstance, Map<string, Responses>>()

/** The responses of each operation. */
function readDocument(app: FastifyInstance): Map<string, Responses> {
  const known = documents.get(app)
  if (known) return known
  const { paths = {} } = app.swagger() as { paths?: object }
  const operations = Object.values(paths).flatMap((item) => Object.values(item as object)) as {
    operationId: string
    responses: Responses
  }[]
  const read = new Map(operations.map(({ operationId, responses }) => [operationId, responses]))
  documents.set(app, read)
  return read
}

/** The problem of an error response, or null. */
export function findUndeclared(app: FastifyInstance, operationId: string, status: number, reason: unknown) {
  const declared = readDocument(app).get(operationId)?.[status]?.headers?.['x-error-reason']?.schema?.enum ?? []
  return declared.includes(reason as string) ? null : `${operationId} does not declare ${reason} with ${status}`
}

subscribe('fastify.initialization', (message) => {
  const { fastify: app } = message as { fastify: FastifyInstance }
  // At the root, before any scope copies its hooks.
  app.addHook('onResponse', (request: FastifyRequest, reply, done) => {
    done()
    const { operationId } = (request.routeOptions.schema ?? {}) as { operationId?: string }
    if (operationId === undefined || reply.statusCode < 400 || !app.hasDecorator('swagger')) return
    const problem = findUndeclared(app, operationId, reply.statusCode, reply.getHeader('x-error-reason'))
    // Outside of the request, whose error handler would handle it.
    if (problem) setImmediate(() => Promise.reject(new Error(problem)))
  })
})
