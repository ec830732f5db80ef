import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Config } from './config/config.ts'
import healthChecks from './features/health/index.ts'
import type { ConnectionLimits } from './lib/connections/connection-limiter.ts'
import type { Metrics } from './lib/telemetry/create-metrics.ts'
import cache from './plugins/cache.ts'
import checkHeaders from './plugins/check-headers.ts'
import connections from './plugins/connections.ts'
import errors, { handleClientError, sendError } from './plugins/errors.ts'
import metricsPlugin from './plugins/metrics.ts'
import requestDb from './plugins/request-db.ts'
import requestRoute from './plugins/request-route.ts'
import services from './plugins/services.ts'
import sharedResults from './plugins/shared-results.ts'
import health from './routes/service/health.ts'
import metricsRoute from './routes/service/metrics.ts'
import { ErrorEnvelope } from './schemas/common.ts'
import { components } from './schemas/health.ts'
import type { Services } from './services.ts'

const REQUEST_MS = 30_000
const CHECK_MS = 2_000

/** Limits of a private port, above the needs of any monitoring. */
const LIMITS: ConnectionLimits = {
  maximum: 200,
  perAddress: Number.POSITIVE_INFINITY,
  unreadBytes: 16 * 1024 * 1024,
  unreadBytesPerAddress: Number.POSITIVE_INFINITY,
  stallMs: 30_000,
  idleMs: 120_000,
}

const createApp = (log: FastifyBaseLogger): FastifyInstance => {
  const app = Fastify({
    requestTimeout: REQUEST_MS,
    http: { headersTimeout: REQUEST_MS, connectionsCheckingInterval: CHECK_MS },
    loggerInstance: log,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: handleClientError,
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  for (const component of [ErrorEnvelope, ...components]) app.addSchema(component)
  app.register(connections, { limits: LIMITS, trustProxy: [] })
  return app
}

/** Serves /live, /ready, /health and, unless METRICS_PORT is set, /metrics, for a process without the API. */
export async function buildProbes(config: Config, opened: Services): Promise<FastifyInstance> {
  const app = createApp(opened.log)
  await app.register(requestRoute)
  await app.register(metricsPlugin, { metrics: opened.metrics })
  await app.register(services, opened)
  await app.register(requestDb)
  await app.register(cache, { cache: opened.cache })
  await app.register(sharedResults)
  await app.register(healthChecks)
  await app.register(errors)
  await app.register(checkHeaders)
  await app.register(health)
  if (config.metricsPort === null) await app.register(metricsRoute)
  return app
}

/** Serves only /metrics, on a private port. */
export async function buildMetricsServer({ metrics, log }: { metrics: Metrics; log: FastifyBaseLogger }) {
  const app = createApp(log)
  app.decorate('metrics', metrics)
  await app.register(sharedResults)
  await app.register(errors)
  await app.register(checkHeaders)
  await app.register(metricsRoute)
  return app
}
