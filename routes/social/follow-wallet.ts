import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { follow, followReasons, MAX_FOLLOWING, unfollow } from '../../db/queries/follows.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toFollow } from '../../records/to-follow.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { Follow, WalletParams } from '../../schemas/profiles.ts'
import { enqueueNotifications } from './enqueue-events.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const success = Envelope(ref(Follow))
  const common = { tags: ['Social'], security: walletRequired, params: WalletParams }

  app.post(
    '/follows/:wallet',
    {
      schema: {
        ...common,
        operationId: 'followWallet',
        summary: 'Follow a wallet',
        description: `Idempotent. 409 beyond ${MAX_FOLLOWING} followed wallets.`,
        response: { 200: success, ...failures('WALLET_BANNED', followReasons.SELF_FOLLOW, followReasons.FOLLOW_LIMIT) },
      },
    },
    async (request) => {
      const pair = { follower: walletOf(request), followee: request.params.wallet }
      const state = await app.transactionWithEvents(
        async (trx) => {
          const { notices, ...following } = await follow(trx, pair)
          await enqueueNotifications(trx, notices)
          return following
        },
        ['social'],
      )
      return ok(toFollow(pair.follower, pair.followee, state))
    },
  )

  app.delete(
    '/follows/:wallet',
    {
      schema: {
        ...common,
        operationId: 'unfollowWallet',
        summary: 'Unfollow a wallet',
        description: 'Removes its activity from your feed. Idempotent.',
        response: { 200: success, ...failures('WALLET_BANNED') },
      },
    },
    async (request) => {
      const pair = { follower: walletOf(request), followee: request.params.wallet }
      const state = await app.transactionWithEvents((trx) => unfollow(trx, pair), ['social'])
      return ok(toFollow(pair.follower, pair.followee, state))
    },
  )
}

export default routes
