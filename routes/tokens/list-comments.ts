import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listComments } from '../../db/queries/comments.ts'
import { getLaunch } from '../../db/queries/launches.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toComment } from '../../records/to-comment.ts'
import { CommentList, CommentQuery } from '../../schemas/comments.ts'
import { AddressParams, Envelope, ok, walletOptional } from '../../schemas/common.ts'
import { IdKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address/comments',
    {
      schema: {
        operationId: 'listTokenComments',
        tags: ['Social'],
        summary: 'List the comments on a token',
        description:
          'Newest first, including replies. `parentId` selects one thread, or the comments that started a thread. ' +
          'Excludes deleted comments, hidden comments and those of banned wallets. Their replies stay: a removed ' +
          'comment that started a thread is returned as `removed`, without text and author, while it has replies.',
        security: walletOptional,
        params: AddressParams,
        querystring: CommentQuery,
        response: { 200: Envelope(CommentList), ...failures('NO_PAGES', 'TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, params, query, wallet }) => {
      const { parentId } = query
      const thread = parentId === undefined ? 'all' : parentId === 'none' ? 'roots' : Number(parentId)
      const order = `comments:${thread}`
      const { limit, after } = readCursor(query, order, IdKeyset)
      const { id: tokenId } = await getLaunch(db, params.address)
      const args = { tokenId, thread, limit: limit + 1, after: after?.[0] ?? null, viewer: wallet } as const
      const { items, nextCursor } = cutPage(await listComments(db, args), limit, order, (row) => [row.id])
      return ok({ items: items.map((row) => toComment(row, wallet)), nextCursor })
    },
  )
}

export default routes
