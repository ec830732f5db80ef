import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { searchTokens } from '../../../db/queries/search.ts'
import { listTokens } from '../../../db/queries/token-list.ts'
import type { TokenRow } from '../../../db/queries/tokens.ts'
import { failures } from '../../../lib/openapi/failures.ts'
import { UdfSearch, UdfSearchQuery } from '../../../schemas/integrations/udf.ts'
import { nameSymbol } from './read-symbol.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const { name: exchange } = app.settings.brand
  app.get(
    '/search',
    {
      schema: {
        operationId: 'udfSearch',
        tags: ['Integrations'],
        summary: 'Search symbols of the chart feed',
        description:
          'Searches by name, symbol or address, ranked as in /search. Another exchange or type returns an empty ' +
          'list.',
        querystring: UdfSearchQuery,
        response: { 200: UdfSearch, ...failures() },
      },
    },
    async ({ db, query: { query = '', type, exchange: asked, limit = 30 } }) => {
      if ((type && type !== 'crypto') || (asked && asked.toLowerCase() !== exchange.toLowerCase())) return []
      const q = query.trim()
      const rows = q === '' ? await listTokens(db, { sort: 'volume', limit }) : await searchTokens(db, { q, limit })
      return rows.map((row) => toFound(row, exchange))
    },
  )
}

export default routes

function toFound({ address: token, symbol, name }: TokenRow, exchange: string) {
  const shown = nameSymbol({ token, symbol, name }, 'native')
  return {
    symbol: shown,
    full_name: `${exchange}:${shown}`,
    description: name || symbol || token,
    exchange,
    ticker: token,
    type: 'crypto' as const,
  }
}
