import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import cache from './plugins/cache.ts'
import errors, { answerSocketError, sendError } from './plugins/errors.ts'
import type { Metrics } from './plugins/metrics/create-metrics.ts'
import metricsPlugin from './plugins/metrics/index.ts'
import services from './plugins/services.ts'
import health from './routes/health.ts'
import metricsRoute from './routes/metrics.ts'
import { ErrorEnvelope } from './schemas/common.ts'
import { components } from './schemas/health.ts'
import type { Services } from './services.ts'

const createApp = (log: FastifyBaseLogger): FastifyInstance => {
  const app = Fastify({
    loggerInstance: log,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: answerSocketError,
  })
  for (const component of [ErrorEnvelope, ...components]) app.addSchema(component)
  return app
}

/** What an orchestrator asks of a process that serves no API: /live, /ready, /health, and /metrics unless they are elsewhere. */
export async function buildProbes(config: Config, opened: Services): Promise<FastifyInstance> {
  const app = createApp(opened.log)
  await app.register(metricsPlugin, { metrics: opened.metrics })
  await app.register(services, opened)
  await app.register(cache, { cache: opened.cache })
  await app.register(errors)
  await app.register(health)
  if (config.metricsPort === null) await app.register(metricsRoute)
  return app
}

/** /metrics alone, for a port that the world does not reach. */
export async function buildMetricsServer({ metrics, log }: { metrics: Metrics; log: FastifyBaseLogger }) {
  const app = createApp(log)
  app.decorate('metrics', metrics)
  await app.register(errors)
  await app.register(metricsRoute)
  return app
}
