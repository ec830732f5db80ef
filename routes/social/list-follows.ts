import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listFollows } from '../../db/queries/follows.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toFollowed } from '../../records/to-followed.ts'
import { Envelope, ok } from '../../schemas/common.ts'
import { FollowedList, FollowQuery, WalletParams } from '../../schemas/profiles.ts'
import { AddressTimeKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

/** Followers and followed wallets: the same query with the two columns swapped. */
const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const direction of ['followers', 'following'] as const) {
    app.get(
      `/profiles/:wallet/${direction}`,
      {
        schema: {
          operationId: direction === 'followers' ? 'listFollowers' : 'listFollowing',
          tags: ['Social'],
          summary: direction === 'followers' ? 'List the followers of a wallet' : 'List wallets that a wallet follows',
          description: 'Latest follow first.',
          params: WalletParams,
          querystring: FollowQuery,
          response: { 200: Envelope(FollowedList), ...failures('NO_PAGES') },
        },
      },
      async ({ db, params: { wallet }, query }) => {
        const { limit, after } = readCursor(query, direction, AddressTimeKeyset)
        const rows = await listFollows(db, { wallet, direction, limit: limit + 1, after })
        const { items, nextCursor } = cutPage(rows, limit, direction, (row) => [row.created_at.getTime(), row.wallet])
        return ok({ items: items.map(toFollowed), nextCursor })
      },
    )
  }
}

export default routes
