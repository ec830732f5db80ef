import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FollowState, follow, MAX_FOLLOWING, unfollow } from '../../db/queries/follows.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
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
        response: { 200: success, ...failures('WALLET_BANNED', 'SELF_FOLLOW', 'FOLLOW_LIMIT') },
      },
    },
    async (request) => {
      const pair = { follower: walletOf(request), followee: request.params.wallet }
      const state = await app.transactionWithEvents(async (trx) => {
        const { notices, ...following } = await follow(trx, pair)
        await enqueueNotifications(trx, notices)
        return following
      })
      return ok(toFollow(pair, state))
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
      return ok(toFollow(pair, await request.db.transaction().execute((trx) => unfollow(trx, pair))))
    },
  )
}

export default routes

const toFollow = (pair: { follower: string; followee: string }, { created_at, follower_count }: FollowState) => ({
  actor: pair.follower,
  target: pair.followee,
  createdAt: created_at?.toISOString() ?? null,
  followerCount: follower_count,
})
