import fp from 'fastify-plugin'
import { operationOf } from '../lib/telemetry/operation-of.ts'

/** Adds an onResponse hook that logs one line for each request, without the query string, which may hold a token. */
export default fp(
  async (app) => {
    app.addHook('onResponse', (request, reply, done) => {
      const { method, url, ip, wallet, routeOptions } = request
      const line = {
        operation: operationOf(request),
        method,
        route: routeOptions.url ?? null,
        path: url.split('?', 1)[0],
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        client: ip,
        ...(wallet && { wallet }),
      }
      // Health probes and scrapes arrive every few seconds.
      if (routeOptions.config?.healthProbe && reply.statusCode < 400) request.log.debug(line, 'Answered')
      else request.log.info(line, 'Answered')
      done()
    })
  },
  { name: 'log-requests', dependencies: ['metrics'] },
)
