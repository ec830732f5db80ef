import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { searchTokens, searchWallets } from '../../db/queries/search.ts'
import { toSymbolKey } from '../../db/symbol-key.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { optionalWallet } from '../../plugins/auth.ts'
import { toFoundWallet } from '../../records/to-found-wallet.ts'
import { Envelope, ok, paging, ref, walletOptional } from '../../schemas/common.ts'
import { SearchMatches, SearchQuery } from '../../schemas/search.ts'
import { readPopularTokens } from '../read-popular-tokens.ts'
import { personalizeTokens } from '../tokens/personalize-tokens.ts'

/** Whether a searched text is the symbol, as searchTokens reads it: with or without a dollar sign before it. */
const looksLike = (symbol: string, q: string): boolean =>
  [q, q.replace(/^\$/, '')].some((text) => toSymbolKey(text) !== '' && toSymbolKey(text) === toSymbolKey(symbol))

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRequest', optionalWallet)

  app.get(
    '/search',
    {
      config: { bucket: 'read-heavy', heavyRead: 'aggregate', cache: ['market', 'chain', 'social'] },
      schema: {
        operationId: 'search',
        tags: ['Discovery'],
        summary: 'Search tokens and wallets',
        description:
          'Finds tokens by name, symbol or address, and wallets by address or username. Excludes hidden tokens, ' +
          'and banned wallets by username.',
        security: walletOptional,
        querystring: SearchQuery,
        response: { 200: Envelope(ref(SearchMatches)), ...failures() },
      },
    },
    async (request) => {
      const { limit = paging.defaultLimit, launchpad } = request.query
      const q = request.query.q.trim()
      const popular = await readPopularTokens(app)
      const tokens = await searchTokens(request.db, { q, launchpad, limit, popular })
      const wallets = await searchWallets(request.db, { q, limit })
      return ok({
        tokens: await personalizeTokens(tokens, request),
        symbolTakenBy: tokens.find(({ symbol }) => looksLike(symbol, q))?.address ?? null,
        wallets: wallets.map(toFoundWallet),
      })
    },
  )
}

export default routes
