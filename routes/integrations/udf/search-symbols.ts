import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { searchTokens } from '../../../db/queries/search.ts'
import { listTokens } from '../../../db/queries/token-list.ts'
import { failures } from '../../../lib/openapi/failures.ts'
import { type Currency, codeOf, typeOf } from '../../../records/integrations/name-symbol.ts'
import { toUdfMatch } from '../../../records/integrations/to-udf-match.ts'
import { UdfSearch, UdfSearchQuery } from '../../../schemas/integrations/udf.ts'
import { readPopularTokens } from '../../read-popular-tokens.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const { name: exchange } = app.settings.brand
  const { symbol: coin } = app.settings.nativeCurrency
  app.get(
    '/search',
    {
      config: { bucket: 'read-heavy', cache: ['market', 'chain'] },
      schema: {
        operationId: 'udfSearch',
        tags: ['Integrations'],
        summary: 'Search symbols of the chart feed',
        description:
          'Searches by name, symbol or address, ranked as in /search. Matches have prices in native coin, or in US dollars ' +
          'if the query ends with `/USD`. They are market capitalisations if it ends with `/MC`, or if `type` is `fundamental`. ' +
          'Another exchange or type returns an empty list.',
        querystring: UdfSearchQuery,
        response: { 200: UdfSearch, ...failures() },
      },
    },
    async ({ db, query: { query = '', type, exchange: asked, limit = 30 } }) => {
      const { q, currency: named } = readSearch(query, { exchange, coin })
      const currency = type === 'fundamental' ? 'marketCapUsd' : named
      if ((type && type !== typeOf(currency)) || (asked && asked.toLowerCase() !== exchange.toLowerCase())) return []
      const list = async () => listTokens(db, { sort: 'volume', limit })
      const search = async () => {
        const popular = await readPopularTokens(app)
        return searchTokens(db, { q, limit, popular })
      }
      const rows = await (q === '' ? list() : search())
      return rows.map((row) => toUdfMatch(row, { currency, exchange, coin }))
    },
  )
}

/** A symbol may be searched for by the name that this feed gives it, such as `CAT/USD` or `Slipway:CAT/USD`. */
function readSearch(
  query: string,
  { exchange, coin }: { exchange: string; coin: string },
): { q: string; currency: Currency } {
  const text = query.trim()
  const prefix = `${exchange}:`.toLowerCase()
  const name = text.toLowerCase().startsWith(prefix) ? text.slice(prefix.length) : text
  for (const currency of ['native', 'usd', 'marketCapUsd'] as const) {
    const suffix = `/${codeOf(currency, coin)}`.toLowerCase()
    if (name.toLowerCase().endsWith(suffix)) return { q: name.slice(0, -suffix.length).trim(), currency }
  }
  return { q: name.trim(), currency: 'native' }
}

export default routes
