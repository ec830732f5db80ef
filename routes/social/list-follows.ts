import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FollowRow, listFollows } from '../../db/queries/follows.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toAuthor } from '../../records/to-author.ts'
import { Envelope, ok } from '../../schemas/common.ts'
import { FollowedList, FollowQuery, WalletParams } from '../../schemas/profiles.ts'
import { WalletTimeKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

/** Both ends of follows: told apart by which of the two wallets is given. */
const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const direction of ['followers', 'following'] as const) {
    app.get(
      `/profiles/:wallet/${direction}`,
      {
        schema: {
          operationId: direction === 'followers' ? 'listFollowers' : 'listFollowing',
          tags: ['Social'],
          summary: direction === 'followers' ? 'List who follows a wallet' : 'List whom a wallet follows',
          description: 'The latest first.',
          params: WalletParams,
          querystring: FollowQuery,
          response: { 200: Envelope(FollowedList), ...failures('NO_PAGES') },
        },
      },
      async ({ db, params: { wallet }, query }) => {
        const { limit, after } = readCursor(query, direction, WalletTimeKeyset)
        const rows = await listFollows(db, { wallet, direction, limit: limit + 1, after })
        const { items, nextCursor } = cutPage(rows, limit, direction, (row) => [row.created_at.getTime(), row.wallet])
        return ok({ items: items.map(toFollowed), nextCursor })
      },
    )
  }
}

export default routes

const toFollowed = (row: FollowRow) => ({
  ...toAuthor(row.wallet, row),
  followerCount: row.follower_count,
  followedAt: row.created_at.toISOString(),
})
