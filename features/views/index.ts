import fp from 'fastify-plugin'
import type { Config } from '../../config/config.ts'
import { Views } from './views.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Live lists of tokens: see docs/views.md. */
    views: Views
  }
}

/** Decorates the app with the live views of this process. */
export default fp<{ config: Pick<Config, 'sockets'> }>(
  async (app, { config }) => {
    const { hub } = app.sockets
    const { processViews: maximum, perAddress } = config.sockets
    const views = new Views({
      screener: app.screener,
      audience: hub,
      chainId: app.settings.chainId,
      maximum,
      isUnshared: perAddress === Number.POSITIVE_INFINITY,
    })
    app.decorate('views', views)
    app.metrics.gauge('views', 'Live views that are evaluated', () => views.size)
    app.addHook('onClose', async () => views.close())
  },
  { name: 'views', dependencies: ['screener', 'sockets', 'metrics'] },
)
