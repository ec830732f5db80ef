import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { searchTokens } from '../../../db/queries/search.ts'
import { listTokens } from '../../../db/queries/token-list.ts'
import { failures } from '../../../lib/openapi/failures.ts'
import { toUdfMatch } from '../../../records/integrations/to-udf-match.ts'
import { UdfSearch, UdfSearchQuery } from '../../../schemas/integrations/udf.ts'
import { readPopularTokens } from '../../read-popular-tokens.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const { name: exchange } = app.settings.brand
  const { symbol: coin } = app.settings.nativeCurrency
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
      const list = async () => listTokens(db, { sort: 'volume', limit })
      const search = async () => {
        const popular = await readPopularTokens(app)
        return searchTokens(db, { q, limit, popular })
      }
      const rows = await (q === '' ? list() : search())
      return rows.map((row) => toUdfMatch(row, { exchange, coin }))
    },
  )
}

export default routes
