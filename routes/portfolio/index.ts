import type { FastifyPluginAsync } from 'fastify'
import { optionalWallet } from '../../plugins/auth.ts'
import getPortfolio from './get-portfolio.ts'
import listHoldings from './list-holdings.ts'

/** Of any wallet without a token of sign-in, of the caller's with one. */
const routes: FastifyPluginAsync = async (app) => {
  app.addHook('onRequest', optionalWallet)
  app.register(getPortfolio)
  app.register(listHoldings)
}

export default routes
