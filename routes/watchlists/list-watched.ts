import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listWatched } from '../../db/queries/watchlists.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { Envelope, ok, walletRequired } from '../../schemas/common.ts'
import { TokenCursorQuery, TokenList } from '../../schemas/tokens.ts'
import { TokenTimeKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { personalizeTokens } from '../tokens/personalize-tokens.ts'

const ORDER = 'watched'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/me',
    {
      schema: {
        operationId: 'listWatchedTokens',
        tags: ['Watchlists'],
        summary: 'List the tokens on your watchlist',
        description: 'The newest entry first. Includes hidden tokens.',
        security: walletRequired,
        querystring: TokenCursorQuery,
        response: { 200: Envelope(TokenList), ...failures('NO_PAGES') },
      },
    },
    async (request) => {
      const { limit, after } = readCursor(request.query, ORDER, TokenTimeKeyset)
      const rows = await listWatched(request.db, { wallet: walletOf(request), limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.watched_at.getTime(), row.watched_id])
      return ok({ items: await personalizeTokens(items, request), nextCursor })
    },
  )
}

export default routes
