import type { FastifyPluginAsync } from 'fastify'
import { optionalWallet } from '../../plugins/auth.ts'
import * as portfolioSchemas from '../../schemas/portfolio.ts'
import type { Domain } from '../domain.ts'
import getPortfolio from './get-portfolio.ts'
import listHoldings from './list-holdings.ts'

/** Of any wallet without a token of sign-in, of the caller's with one. */
const routes: FastifyPluginAsync = async (app) => {
  app.addHook('onRequest', optionalWallet)
  app.register(getPortfolio)
  app.register(listHoldings)
}

export default {
  plugin: routes,
  prefix: '/portfolio',
  tags: [{ name: 'Portfolio', description: 'What a wallet holds, made and is owed.' }],
  schemas: portfolioSchemas.components,
} satisfies Domain
