import type { FastifyPluginAsync } from 'fastify'
import * as marketSchemas from '../../schemas/external-markets.ts'
import type { Domain } from '../domain.ts'
import getExternalChart from './get-external-chart.ts'
import getExternalMarket from './get-external-market.ts'
import { marketReasons } from './reasons.ts'
import { refuseOwnToken } from './refuse-own-token.ts'

/** Third-party market data of tokens that were not launched here. */
const market: FastifyPluginAsync = async (app) => {
  app.addHook('preHandler', refuseOwnToken)
  app.register(getExternalMarket)
  app.register(getExternalChart)
}

export default {
  plugin: market,
  prefix: '/market',
  tags: [
    {
      name: 'Markets',
      description: 'Third-party market data of tokens not launched here. For display, not settlement.',
    },
  ],
  schemas: marketSchemas.components,
  reasons: marketReasons,
} satisfies Domain
