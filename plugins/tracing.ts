import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { OpenSpan, Tracing } from '../lib/telemetry/open-tracing.ts'
import { operationOf } from '../lib/telemetry/operation-of.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request; null without tracing. */
    span: OpenSpan | null
  }
}

/** Adds hooks that record a span for each request, named by its operation and linked to the caller's trace. */
export default fp<{ tracing: Tracing | null }>(
  async (app, { tracing }) => {
    app.decorateRequest('span', null)
    if (tracing === null) return

    app.addHook('onRequest', (request, reply, done) => {
      const span = tracing.begin(
        { name: nameOf(request), kind: 'server', attributes: describeRequest(request) },
        request.headers,
      )
      request.span = span
      request.log = reply.log = request.log.child({ traceId: span.traceId })
      span.run(done)
    })
    // Body parsing runs in the connection's async context: restore the request's.
    app.addHook('preValidation', (request, _reply, done) => {
      if (request.span) request.span.run(done)
      else done()
    })
    app.addHook('onResponse', async (request, reply) => {
      const failed = reply.statusCode >= 500
      request.span?.setAttributes({
        'http.response.status_code': reply.statusCode,
        ...(failed && { 'error.type': String(reply.statusCode) }),
      })
      request.span?.end(failed)
    })
  },
  { name: 'tracing', dependencies: ['metrics'] },
)

function nameOf(request: FastifyRequest): string {
  const operation = operationOf(request)
  return operation === 'none' ? request.method : operation
}

/** Only the path: a query string may hold a token. */
function describeRequest(request: FastifyRequest) {
  const { url, method, route, protocol, ip, raw, headers } = request
  return {
    'http.request.method': method,
    'url.path': url.split('?', 1)[0] as string,
    'url.scheme': protocol,
    'client.address': ip,
    'network.protocol.version': raw.httpVersion,
    ...(route.url !== undefined && { 'http.route': route.url }),
    ...(headers['user-agent'] !== undefined && { 'user_agent.original': headers['user-agent'] }),
    'slipway.request_id': request.id,
  }
}
