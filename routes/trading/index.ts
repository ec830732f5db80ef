import type { FastifyPluginAsync } from 'fastify'
import { requireWallet } from '../../plugins/auth.ts'
import * as tradingSchemas from '../../schemas/trading.ts'
import type { Domain } from '../domain.ts'
import listTransactions from './list-transactions.ts'
import syncTrades from './sync-trades.ts'

/** Receipt sync of trades, and the list of all on-chain actions of wallets. */
const trading: FastifyPluginAsync = async (app) => {
  app.register(listTransactions)
  app.register(async (scope) => {
    scope.addHook('onRequest', requireWallet)
    scope.register(syncTrades)
  })
}

export default {
  plugin: trading,
  tags: [{ name: 'Trading', description: 'Receipt sync of buys and sells; transactions.' }],
  schemas: tradingSchemas.components,
  events: tradingSchemas.liveEvents,
} satisfies Domain
