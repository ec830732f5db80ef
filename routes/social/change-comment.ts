import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { deleteComment } from '../../db/queries/comments.ts'
import { likeComment, unlikeComment } from '../../db/queries/likes.ts'
import { exemplify, failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toLike } from '../../records/to-like.ts'
import { CommentDeletion, Id, IdParams, Like } from '../../schemas/comments.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { changeOfComment, enqueueCommentRemoval, enqueueNotifications } from './enqueue-events.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const common = { tags: ['Social'], security: walletRequired, params: IdParams }
  const missing = notFound('Comment', Id)
  const liked = { 200: Envelope(ref(Like)), ...failures('WALLET_BANNED', missing) }

  app.delete(
    '/comments/:id',
    {
      schema: {
        ...common,
        operationId: 'deleteComment',
        summary: 'Delete your comment',
        description:
          'Replies stay; the comment is kept as a `removed` placeholder for them. Its text is erased; if it has open ' +
          'reports, with the last decision on them. 403 for comments of other wallets.',
        response: {
          200: Envelope(ref(CommentDeletion)),
          ...failures('WALLET_BANNED', exemplify('NOT_OWNER', { resource: 'comment' }), missing),
        },
      },
    },
    async (request) => {
      const comment = { id: Number(request.params.id), wallet: walletOf(request) }
      const { id } = request.params
      await app.transactionWithEvents(async (trx) => {
        const deleted = await deleteComment(trx, comment)
        await enqueueCommentRemoval(trx, { id, ...deleted })
        return deleted
      }, changeOfComment)
      return ok({ id, deleted: true as const })
    },
  )

  app.post(
    '/comments/:id/like',
    {
      schema: {
        ...common,
        operationId: 'likeComment',
        summary: 'Like a comment',
        description: 'Idempotent.',
        response: liked,
      },
    },
    async (request) => {
      const like = { id: Number(request.params.id), wallet: walletOf(request) }
      const state = await app.transactionWithEvents(
        async (trx) => {
          const { notices, ...liking } = await likeComment(trx, like)
          await enqueueNotifications(trx, notices)
          return liking
        },
        ['social'],
      )
      return ok(toLike(like.wallet, request.params.id, state))
    },
  )

  app.delete(
    '/comments/:id/like',
    {
      schema: {
        ...common,
        operationId: 'unlikeComment',
        summary: 'Unlike a comment',
        description: 'Returns the remaining number of likes. Idempotent.',
        response: liked,
      },
    },
    async (request) => {
      const like = { id: Number(request.params.id), wallet: walletOf(request) }
      const state = await app.transactionWithEvents((trx) => unlikeComment(trx, like), ['social'])
      return ok(toLike(like.wallet, request.params.id, state))
    },
  )
}

export default routes
