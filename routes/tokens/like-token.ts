import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { likeToken, unlikeToken } from '../../db/queries/likes.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toLike } from '../../records/to-like.ts'
import { Like } from '../../schemas/comments.ts'
import { AddressParams, Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { enqueueNotifications } from '../social/enqueue-events.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const response = { 200: Envelope(ref(Like)), ...failures('WALLET_BANNED', 'TOKEN_NOT_FOUND') }
  const common = { tags: ['Social'], security: walletRequired, params: AddressParams, response }

  app.post(
    '/:address/like',
    {
      schema: {
        ...common,
        operationId: 'likeToken',
        summary: 'Like a token',
        description: 'Idempotent. You will be notified of the token’s graduation.',
      },
    },
    async (request) => {
      const like = { token: request.params.address, wallet: walletOf(request) }
      const state = await app.transactionWithEvents(
        async (trx) => {
          const { notices, ...liking } = await likeToken(trx, like)
          await enqueueNotifications(trx, notices)
          return liking
        },
        [cacheTagOf(like.token), 'market'],
      )
      return ok(toLike(like.wallet, like.token, state))
    },
  )

  app.delete(
    '/:address/like',
    {
      schema: {
        ...common,
        operationId: 'unlikeToken',
        summary: 'Unlike a token',
        description: 'Idempotent. You will not be notified of the token’s graduation.',
      },
    },
    async (request) => {
      const like = { token: request.params.address, wallet: walletOf(request) }
      const changed = [cacheTagOf(like.token), 'market']
      const state = await app.transactionWithEvents((trx) => unlikeToken(trx, like), changed)
      return ok(toLike(like.wallet, like.token, state))
    },
  )
}

export default routes
