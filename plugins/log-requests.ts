import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { operationOf } from '../lib/telemetry/operation-of.ts'

/**
 * Adds an onResponse hook that logs one line for each request, without the query string, which may hold a token. The
 * line goes through a logger of the route, which has serialized what is the same for all its requests.
 */
export default fp(
  async (app) => {
    const loggers = new Map<string, FastifyBaseLogger>()
    const findLogger = (request: FastifyRequest): FastifyBaseLogger => {
      const { method, route } = request
      const key = `${method} ${route.url}`
      let logger = loggers.get(key)
      if (!logger) {
        logger = app.log.child({ operation: operationOf(request), method, route: route.url ?? null })
        loggers.set(key, logger)
      }
      return logger
    }
    app.addHook('onResponse', (request, reply, done) => {
      const { id, url, ip, wallet, span, route } = request
      const query = url.indexOf('?')
      const line = {
        reqId: id,
        ...(span && { traceId: span.traceId }),
        path: query < 0 ? url : url.slice(0, query),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        client: ip,
        ...(wallet && { wallet }),
      }
      const logger = findLogger(request)
      // Health probes and scrapes arrive every few seconds.
      if (route.config?.healthProbe && reply.statusCode < 400) logger.debug(line, 'Answered')
      else logger.info(line, 'Answered')
      done()
    })
  },
  { name: 'log-requests', dependencies: ['metrics', 'tracing'] },
)
