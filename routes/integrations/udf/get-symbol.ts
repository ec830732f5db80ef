import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { exemplify, failures } from '../../../lib/openapi/failures.ts'
import { toUdfSymbol } from '../../../records/integrations/to-udf-symbol.ts'
import { ref } from '../../../schemas/common.ts'
import { UdfSymbol, UdfSymbolQuery } from '../../../schemas/integrations/udf.ts'
import { NO_TICKER, readSymbol } from './read-symbol.ts'

const noTicker = exemplify('INVALID_INPUT', { field: 'query.symbol', problem: NO_TICKER })

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const { name: exchange } = app.settings.brand
  const { symbol: coin } = app.settings.nativeCurrency
  app.get(
    '/symbols',
    {
      schema: {
        operationId: 'udfSymbol',
        tags: ['Integrations'],
        summary: 'Get a symbol of the chart feed',
        description:
          'Token symbols are not unique, so the ticker is the token’s address. Prices are in native coin. If there is a ' +
          'price feed, the suffix `:USD` selects prices in US dollars, and `:MC` the market capitalisation in US dollars.',
        querystring: UdfSymbolQuery,
        response: { 200: ref(UdfSymbol), ...failures('TOKEN_NOT_FOUND', noTicker) },
      },
    },
    async ({ db, query }) => {
      const symbol = await readSymbol(db, query.symbol)
      return toUdfSymbol(symbol, { currency: symbol.currency, exchange, coin })
    },
  )
}

export default routes
