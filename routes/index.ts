import type { FastifyPluginAsync } from 'fastify'
import { catalogue, type Reason } from '../errors.ts'
import alerts from './alerts/index.ts'
import ambassadors from './ambassadors/index.ts'
import auth from './auth/index.ts'
import discovery from './discovery/index.ts'
import type { Domain, SocketContract } from './domain.ts'
import externalMarkets from './external-markets/index.ts'
import forensics from './forensics/index.ts'
import integrations from './integrations/index.ts'
import live from './live/index.ts'
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
import wallets from './wallets/index.ts'
import watchlists from './watchlists/index.ts'

/** API domains, in the order of the OpenAPI document. Everything that needs all domains derives from this list. */
export const domains: readonly Domain[] = [
  tokens,
  forensics,
  trading,
  discovery,
  portfolio,
  wallets,
  externalMarkets,
  raises,
  staking,
  social,
  watchlists,
  alerts,
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
  channels: merge(domains.map(({ channels }) => channels)),
  events: merge(domains.map(({ events }) => events)),
}

/** Every reason of a failure, by name. */
export const reasons = merge<Reason>([catalogue, ...domains.map(({ reasons }) => reasons)])

/** One record of these, in which each name occurs once. */
function merge<T>(records: readonly (Readonly<Record<string, T>> | undefined)[]): Record<string, T> {
  const entries = records.flatMap((record = {}) => Object.entries(record))
  const [twice] = entries.map(([name]) => name).filter((name, index, names) => names.indexOf(name) < index)
  if (twice !== undefined) throw new Error(`Two domains declare ${twice}`)
  return Object.fromEntries(entries)
}

/** All routes. The application registers them twice: at the root and under a prefix. */
const routes: FastifyPluginAsync = async (app) => {
  for (const { plugin, prefix = '' } of domains) {
    // Without a name Fastify searches all loaded modules for the plugin, at each registration.
    Object.assign(plugin, { [Symbol.for('fastify.display-name')]: `routes${prefix}` })
    app.register(plugin, { prefix, socket })
  }
}

export default routes
