import type { FastifyPluginAsync } from 'fastify'
import * as configSchemas from '../../schemas/config.ts'
import * as healthSchemas from '../../schemas/health.ts'
import type { Domain } from '../domain.ts'
import config from './config.ts'
import health from './health.ts'
import metrics from './metrics.ts'

/** Configuration, health and metrics of the service. */
const service: FastifyPluginAsync = async (app) => {
  app.register(config, { prefix: '/config' })
  app.register(health)
  if (app.settings.metricsPort === null) app.register(metrics)
}

export default {
  plugin: service,
  tags: [{ name: 'Service', description: 'Health, configuration and contracts.' }],
  schemas: [...configSchemas.components, ...healthSchemas.components],
} satisfies Domain
