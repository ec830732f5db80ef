import type { FastifyPluginAsync } from 'fastify'
import { requireWallet } from '../../plugins/auth.ts'
import * as tradingSchemas from '../../schemas/trading.ts'
import type { Domain } from '../domain.ts'
import listTransactions from './list-transactions.ts'
import syncTrades from './sync-trades.ts'

/** Trades happen on the chain; here they are made known, and read together with all else that wallets do there. */
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
