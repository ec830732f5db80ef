import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listTickers } from '../../../db/queries/integrations/tickers.ts'
import { failures } from '../../../lib/openapi/failures.ts'
import { toTicker } from '../../../records/integrations/to-ticker.ts'
import { CoingeckoTickers, coingeckoLimits, TickersQuery } from '../../../schemas/integrations/coingecko.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/tickers',
    {
      config: { bucket: 'read-heavy', heavyRead: 'aggregate' },
      schema: {
        operationId: 'coingeckoTickers',
        tags: ['Integrations'],
        summary: 'List tickers of all markets for CoinGecko',
        description:
          'One ticker for each token traded in the last 24 hours, for its current market (curve or pool). A price ' +
          'is the traded native coin divided by the traded tokens.',
        querystring: TickersQuery,
        response: { 200: CoingeckoTickers, ...failures() },
      },
    },
    async ({ db, query: { limit = coingeckoLimits.tickers, page = 1 } }) => {
      const rows = await listTickers(db, { limit, offset: (page - 1) * limit })
      return rows.map(toTicker)
    },
  )
}

export default routes
