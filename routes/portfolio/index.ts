import type { FastifyPluginAsync } from 'fastify'
import { optionalWallet } from '../../plugins/auth.ts'
import * as portfolioSchemas from '../../schemas/portfolio.ts'
import type { Domain } from '../domain.ts'
import getHolding from './get-holding.ts'
import getPortfolio from './get-portfolio.ts'
import listHoldings from './list-holdings.ts'

/** For the wallet in the query, or else the authenticated wallet. */
const routes: FastifyPluginAsync = async (app) => {
  app.addHook('onRequest', optionalWallet)
  app.register(getPortfolio)
  app.register(listHoldings)
  app.register(getHolding)
}

export default {
  plugin: routes,
  prefix: '/portfolio',
  tags: [{ name: 'Portfolio', description: 'Holdings, profit, launched tokens and open claims of a wallet.' }],
  schemas: portfolioSchemas.components,
} satisfies Domain
