import fp from 'fastify-plugin'
import { createHeadCheck } from '../../chain/rpc/head-age.ts'
import { CHECKS, checkHealth, type HealthReport } from './check-health.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Checks all dependencies, at most once per second. */
    checkHealth(): Promise<HealthReport>
  }
}

/** Decorates the app with `checkHealth`, for /health and for a gauge of each check. */
export default fp(
  async (app) => {
    const checkHead = createHeadCheck(app.chain, app.settings.maxBlockAge)
    app.decorate('checkHealth', () =>
      app.shareResult('health', () =>
        checkHealth(app, checkHead, (name, err) => app.log.warn({ check: name, err }, 'check failed')),
      ),
    )
    app.metrics.gauges('health_check', '1 if a check of /health passes, else 0', 'check', async () => {
      // A scrape logs nothing.
      const { failures } = await app.shareResult('scraped health', () => checkHealth(app, checkHead, () => {}))
      return Object.fromEntries(CHECKS.map((name) => [name, failures.has(name) ? 0 : 1]))
    })
  },
  { name: 'health', dependencies: ['cache', 'metrics', 'services', 'shared-results'] },
)
