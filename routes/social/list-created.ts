import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listCreatedTokens } from '../../db/queries/profiles.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { Envelope, ok, walletOptional } from '../../schemas/common.ts'
import { WalletParams } from '../../schemas/profiles.ts'
import { TokenCursorQuery, TokenList } from '../../schemas/tokens.ts'
import { PositionKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { personalizeTokens } from '../tokens/personalize-tokens.ts'

const ORDER = 'created'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/profiles/:wallet/created',
    {
      schema: {
        operationId: 'listCreatedTokens',
        tags: ['Social'],
        summary: 'List tokens launched by a wallet',
        description: 'Newest first. Excludes hidden tokens.',
        security: walletOptional,
        params: WalletParams,
        querystring: TokenCursorQuery,
        response: { 200: Envelope(TokenList), ...failures('NO_PAGES') },
      },
    },
    async (request) => {
      const { limit, after } = readCursor(request.query, ORDER, PositionKeyset)
      const rows = await listCreatedTokens(request.db, { wallet: request.params.wallet, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.block_number, row.log_index])
      return ok({ items: await personalizeTokens(items, request), nextCursor })
    },
  )
}

export default routes
