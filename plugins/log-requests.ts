import fp from 'fastify-plugin'
import { keepByRoute } from '../lib/telemetry/keep-by-route.ts'
import { operationOf } from '../lib/telemetry/operation-of.ts'

interface Line {
  reqId: string
  path: string
  status: number
  durationMs: number
  client: string
  traceId?: string
  wallet?: string
}

/**
 * Adds an onResponse hook that logs one line for each request, without the query string, which may hold a token. The
 * line goes through a logger of the route, which has serialized what is the same for all its requests.
 */
export default fp(
  async (app) => {
    const loggerOf = keepByRoute((request) => {
      const { method, route } = request
      return app.log.child({ operation: operationOf(request), method, route: route.url ?? null })
    })
    app.addHook('onResponse', (request, reply, done) => {
      const { id, url, ip, wallet, span, route } = request
      const query = url.indexOf('?')
      const line: Line = {
        reqId: id,
        path: query < 0 ? url : url.slice(0, query),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        client: ip,
      }
      if (span) line.traceId = span.traceId
      if (wallet) line.wallet = wallet
      const logger = loggerOf(request)
      // Health probes and scrapes arrive every few seconds.
      if (route.config?.healthProbe && reply.statusCode < 400) logger.debug(line, 'Answered')
      else logger.info(line, 'Answered')
      done()
    })
  },
  { name: 'log-requests', dependencies: ['metrics', 'tracing'] },
)
