import type { FastifyPluginAsync } from 'fastify'
import getExternalChart from './get-external-chart.ts'
import getExternalMarket from './get-external-market.ts'
import { refuseOwnToken } from './refuse-own-token.ts'

/** Markets of tokens that were not launched here, as a third party tells them. */
const market: FastifyPluginAsync = async (app) => {
  app.addHook('preHandler', refuseOwnToken)
  app.register(getExternalMarket)
  app.register(getExternalChart)
}

export default market
