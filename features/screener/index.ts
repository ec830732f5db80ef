import fp from 'fastify-plugin'
import { Screener } from './screener.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Filters the token list: see docs/screener.md. */
    screener: Screener
  }
}

/** Decorates the app with the screener, which reads the figures when the app listens, or with the first filter. */
export default fp(
  async (app) => {
    const screener = new Screener({ db: app.databases.reads, live: app.live, log: app.log })
    app.decorate('screener', screener)
    app.metrics.gauge('screener_tokens', 'Tokens whose figures are in memory for filters', () => screener.size)
    app.metrics.gauge('screener_bytes', 'Size of these figures', () => screener.bytes)
    app.addHook('onListen', async () => screener.start())
    app.addHook('onClose', () => screener.close())
  },
  { name: 'screener', dependencies: ['services', 'live-events', 'metrics'] },
)
