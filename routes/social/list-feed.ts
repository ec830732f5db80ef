import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FeedRow, type FeedKeyset as Keyset, listFeed } from '../../db/queries/feed.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { callerOf } from '../../plugins/auth.ts'
import { toFeedItem } from '../../records/to-feed-item.ts'
import { Envelope, ok, walletOptional } from '../../schemas/common.ts'
import { FeedList, FeedQuery } from '../../schemas/social.ts'
import { FeedKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { callerReasons } from '../reasons.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/feed',
    {
      schema: {
        operationId: 'listFeed',
        tags: ['Social'],
        summary: 'List the feed',
        description:
          'Activity of all wallets or of those that you follow, latest first. Excludes hidden tokens and hidden ' +
          'comments.',
        security: walletOptional,
        querystring: FeedQuery,
        response: { 200: Envelope(FeedList), ...failures('NO_PAGES', ...callerReasons) },
      },
    },
    async (request) => {
      const { scope = 'all' } = request.query
      const order = `feed:${scope}`
      const { limit, after } = readCursor(request.query, order, FeedKeyset)
      const follower = scope === 'all' ? null : await callerOf(request)
      const rows = placeRows(await listFeed(request.db, { follower, limit: limit + 1, after }), after)
      const { items, nextCursor } = cutPage(rows, limit, order, ({ place }) => [...place])
      return ok({ items: items.map(({ row }) => toFeedItem(row)), nextCursor })
    },
  )
}

export default routes

/** Pairs each row with the cursor position after it, for chain items and comments. */
function placeRows(rows: readonly FeedRow[], after: Keyset | null): { row: FeedRow; place: Keyset }[] {
  let place: Keyset = after ?? [null, null, null, null]
  return rows.map((row) => {
    const [block, log, time, comment] = place
    place =
      row.comment_id === null
        ? [row.block_number, row.log_index, time, comment]
        : [block, log, row.happened_at.getTime(), row.comment_id]
    return { row, place }
  })
}
