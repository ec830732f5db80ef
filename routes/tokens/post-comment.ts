import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createComment } from '../../db/queries/comments.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toComment } from '../../records/to-comment.ts'
import { COMMENT_LENGTH, Comment, CommentCreation, Id } from '../../schemas/comments.ts'
import { AddressParams, Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { readText } from '../read-text.ts'
import { changeOfComment, enqueueComment } from '../social/enqueue-events.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/:address/comments',
    {
      schema: {
        operationId: 'postTokenComment',
        tags: ['Social'],
        summary: 'Comment on a token',
        description:
          'Notifies the creator of the token, or the author of the parent comment. If the same wallet repeats the ' +
          'same text in the same place within a minute (a double click, a retry), the existing comment is ' +
          'returned.',
        security: walletRequired,
        params: AddressParams,
        body: CommentCreation,
        response: {
          200: Envelope(ref(Comment)),
          ...failures('WALLET_BANNED', 'TOKEN_NOT_FOUND', notFound('Comment', Id)),
        },
      },
    },
    async (request) => {
      const author = walletOf(request)
      const { text: raw, parentId = null } = request.body
      const text = readText(raw, 'body.text', COMMENT_LENGTH)
      const draft = {
        token: request.params.address,
        author,
        text,
        parentId: parentId === null ? null : Number(parentId),
      }
      const row = await app.transactionWithEvents(async (trx) => {
        const { comment, isNew, notices } = await createComment(trx, draft)
        if (isNew) await enqueueComment(trx, comment, notices)
        return comment
      }, changeOfComment)
      return ok(toComment(row, author))
    },
  )
}

export default routes
