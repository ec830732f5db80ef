import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { resolveResponse } from './resolve-response.ts'

/*
 * Checks every app of the process against its own document: an error whose reason its operation does not declare fails the
 * test that is running.
 */

interface Response {
  headers?: Record<string, { schema?: { enum?: string[] } }>
}
type Responses = Record<string, Response>

const known = new Map<string, Responses>()
const read = new WeakSet<FastifyInstance>()

/**
 * The responses of an operation. Every app of a process describes it alike, and writing a document takes longer than most
 * requests: an app's own is written only if it has an operation that none before had.
 */
function readResponses(app: FastifyInstance, operationId: string): Responses | undefined {
  if (known.has(operationId) || read.has(app)) return known.get(operationId)
  read.add(app)
  const document = app.swagger() as { paths?: object; components?: object }
  const operations = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item as object)) as {
    operationId: string
    responses: Responses
  }[]
  for (const { operationId, responses } of operations) {
    const resolved = Object.entries(responses).map(([status, one]) => [status, resolveResponse(document, one)] as const)
    known.set(operationId, Object.fromEntries(resolved))
  }
  return known.get(operationId)
}

/** The problem of an error response, or null. */
export function findUndeclared(app: FastifyInstance, operationId: string, status: number, reason: unknown) {
  const declared = readResponses(app, operationId)?.[status]?.headers?.['x-error-reason']?.schema?.enum ?? []
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
