import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findWallet, searchTokens } from '../db/queries/search.ts'
import { optionalWallet } from '../plugins/auth.ts'
import { Envelope, failures, ok, paging, ref, walletOptional } from '../schemas/common.ts'
import { SearchQuery, SearchResult } from '../schemas/search.ts'
import { toTokens } from './tokens/to-token.ts'

const ADDRESS = /^0x[0-9a-f]{40}$/i

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRequest', optionalWallet)

  app.get(
    '/search',
    {
      config: { bucket: 'read-heavy' },
      schema: {
        operationId: 'search',
        tags: ['Discovery'],
        summary: 'Find tokens and wallets',
        description: 'Tokens by name, symbol or address, wallets by address. Hidden tokens are not found.',
        security: walletOptional,
        querystring: SearchQuery,
        response: { 200: Envelope(ref(SearchResult)), ...failures(400, 503) },
      },
    },
    async (request) => {
      const { limit = paging.defaultLimit } = request.query
      const q = request.query.q.trim()
      const tokens = await searchTokens(app.db, { q, limit })
      const wallet = ADDRESS.test(q) ? await findWallet(app.db, q.toLowerCase()) : undefined
      return ok({
        tokens: await toTokens(tokens, request),
        wallets: wallet ? [{ wallet: wallet.wallet, tradeCount: wallet.trades, createdTokens: wallet.created }] : [],
      })
    },
  )
}

export default routes
