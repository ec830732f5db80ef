import fp from 'fastify-plugin'
import { operationOf } from '../lib/telemetry/operation-of.ts'

/** One line a request, when it is over. Its query string stays out: a token may be in it. */
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
      // Probes and scrapes come every few seconds, and tell nothing.
      if (routeOptions.config?.healthProbe && reply.statusCode < 400) request.log.debug(line, 'Answered')
      else request.log.info(line, 'Answered')
      done()
    })
  },
  { name: 'log-requests', dependencies: ['metrics'] },
)
