import fp from 'fastify-plugin'
import { operationOf } from '../lib/telemetry/operation-of.ts'

/**
 * Adds an onResponse hook that logs one line for each request, without the query string, which may hold a token. The
 * line goes through the application's logger: a logger for each request would cost more than the line.
 */
export default fp(
  async (app) => {
    app.addHook('onResponse', (request, reply, done) => {
      const { id, method, url, ip, wallet, span, routeOptions } = request
      const query = url.indexOf('?')
      const line = {
        reqId: id,
        ...(span && { traceId: span.traceId }),
        operation: operationOf(request),
        method,
        route: routeOptions.url ?? null,
        path: query < 0 ? url : url.slice(0, query),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        client: ip,
        ...(wallet && { wallet }),
      }
      // Health probes and scrapes arrive every few seconds.
      if (routeOptions.config?.healthProbe && reply.statusCode < 400) app.log.debug(line, 'Answered')
      else app.log.info(line, 'Answered')
      done()
    })
  },
  { name: 'log-requests', dependencies: ['metrics', 'tracing'] },
)
