import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { searchTokens, searchWallets, type WalletRow } from '../../db/queries/search.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { optionalWallet } from '../../plugins/auth.ts'
import { toAuthor } from '../../records/to-author.ts'
import { Envelope, ok, paging, ref, walletOptional } from '../../schemas/common.ts'
import { SearchQuery, SearchResult } from '../../schemas/search.ts'
import { toTokens } from '../tokens/to-token.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRequest', optionalWallet)

  app.get(
    '/search',
    {
      config: { bucket: 'read-heavy', coalesce: true },
      schema: {
        operationId: 'search',
        tags: ['Discovery'],
        summary: 'Search tokens and wallets',
        description:
          'Finds tokens by name, symbol or address, and wallets by address or username. Excludes hidden tokens, ' +
          'and banned wallets by username.',
        security: walletOptional,
        querystring: SearchQuery,
        response: { 200: Envelope(ref(SearchResult)), ...failures() },
      },
    },
    async (request) => {
      const { limit = paging.defaultLimit } = request.query
      const q = request.query.q.trim()
      const tokens = await searchTokens(request.db, { q, limit })
      const wallets = await searchWallets(request.db, { q, limit })
      return ok({ tokens: await toTokens(tokens, request), wallets: wallets.map(toFoundWallet) })
    },
  )
}

export default routes

const toFoundWallet = (row: WalletRow) => ({
  ...toAuthor(row.wallet, row),
  tradeCount: row.trades,
  createdTokens: row.created,
})
