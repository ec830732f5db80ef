import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { MAX_WATCHED, unwatchToken, watchlistReasons, watchToken } from '../../db/queries/watchlists.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toWatch } from '../../records/to-watch.ts'
import { Address, Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { Watch } from '../../schemas/watchlists.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const success = Envelope(ref(Watch))
  const common = { tags: ['Watchlists'], security: walletRequired, params: Type.Object({ token: Address }) }

  app.put(
    '/:token',
    {
      schema: {
        ...common,
        operationId: 'watchToken',
        summary: 'Put a token on your watchlist',
        description: `Idempotent. 409 beyond ${MAX_WATCHED} tokens.`,
        response: {
          200: success,
          ...failures('WALLET_BANNED', 'TOKEN_NOT_FOUND', watchlistReasons.WATCHLIST_FULL),
        },
      },
    },
    async (request) => {
      const { token } = request.params
      const entry = { token, wallet: walletOf(request) }
      const state = await app.transactionWithEvents((trx) => watchToken(trx, entry), [cacheTagOf(token), 'market'])
      return ok(toWatch(token, state))
    },
  )

  app.delete(
    '/:token',
    {
      schema: {
        ...common,
        operationId: 'unwatchToken',
        summary: 'Take a token from your watchlist',
        description: 'Idempotent.',
        response: { 200: success, ...failures('WALLET_BANNED', 'TOKEN_NOT_FOUND') },
      },
    },
    async (request) => {
      const { token } = request.params
      const entry = { token, wallet: walletOf(request) }
      const state = await app.transactionWithEvents((trx) => unwatchToken(trx, entry), [cacheTagOf(token), 'market'])
      return ok(toWatch(token, state))
    },
  )
}

export default routes
