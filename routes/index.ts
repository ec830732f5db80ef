import type { FastifyPluginAsync } from 'fastify'
import ambassadors from './ambassadors/index.ts'
import auth from './auth/index.ts'
import discovery from './discovery/index.ts'
import type { Domain, SocketContract } from './domain.ts'
import integrations from './integrations/index.ts'
import live from './live/index.ts'
import market from './market/index.ts'
import og from './og/index.ts'
import operators from './operators/index.ts'
import portfolio from './portfolio/index.ts'
import raises from './raises/index.ts'
import rpc from './rpc/index.ts'
import service from './service/index.ts'
import social from './social/index.ts'
import staking from './staking/index.ts'
import tokens from './tokens/index.ts'
import trading from './trading/index.ts'
import uploads from './uploads/index.ts'

/** API domains, in the order of the OpenAPI document. Everything that needs all domains derives from this list. */
export const domains: readonly Domain[] = [
  tokens,
  trading,
  discovery,
  portfolio,
  market,
  raises,
  staking,
  social,
  uploads,
  ambassadors,
  auth,
  operators,
  integrations,
  og,
  rpc,
  service,
  live,
]

/** Channels and events of the WebSocket, of all domains. */
export const socket: SocketContract = {
  channels: Object.assign({}, ...domains.map(({ channels }) => channels)),
  events: Object.assign({}, ...domains.map(({ events }) => events)),
}

/** All routes. The application registers them twice: at the root and under a prefix. */
const routes: FastifyPluginAsync = async (app) => {
  for (const { plugin, prefix = '' } of domains) app.register(plugin, { prefix, socket })
}

export default routes
