import type { FastifyPluginAsync } from 'fastify'
import ambassadors from './ambassadors/index.ts'
import auth from './auth/index.ts'
import config from './config.ts'
import health from './health.ts'
import integrations from './integrations/index.ts'
import leaderboard from './leaderboard.ts'
import live from './live/index.ts'
import market from './market/index.ts'
import metrics from './metrics.ts'
import og from './og/index.ts'
import operators from './operators/index.ts'
import portfolio from './portfolio/index.ts'
import raises from './raises/index.ts'
import rpc from './rpc/index.ts'
import search from './search.ts'
import social from './social/index.ts'
import staking from './staking/index.ts'
import statistics from './statistics.ts'
import tokens from './tokens/index.ts'
import trading from './trading/index.ts'
import uploads from './uploads/index.ts'

/** The table of contents. Registered twice by the app: at the root and under a prefix. */
const routes: FastifyPluginAsync = async (app) => {
  app.register(tokens, { prefix: '/tokens' })
  app.register(trading)
  app.register(raises)
  app.register(staking, { prefix: '/staking' })
  app.register(search)
  app.register(leaderboard)
  app.register(statistics)
  app.register(portfolio, { prefix: '/portfolio' })
  app.register(market, { prefix: '/market' })
  app.register(uploads, { prefix: '/uploads' })
  app.register(og, { prefix: '/og' })
  app.register(integrations, { prefix: '/integrations' })
  app.register(social)
  app.register(ambassadors)
  app.register(operators)
  app.register(auth, { prefix: '/auth' })
  app.register(config, { prefix: '/config' })
  app.register(health)
  if (app.settings.metricsPort === null) app.register(metrics)
  app.register(rpc)
  app.register(live)
}

export default routes
