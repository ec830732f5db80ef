import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { setCommentHidden } from '../../db/queries/moderation.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { Id, IdParams } from '../../schemas/comments.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { CommentVisibility, Decision } from '../../schemas/operators/operators.ts'
import { changeOfComment, enqueueCommentRemoval } from '../social/enqueue-events.ts'
import { readReason } from './read-reason.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const hidden of [true, false]) {
    app.post(
      `/comments/:id/${hidden ? 'hide' : 'unhide'}`,
      {
        schema: {
          operationId: hidden ? 'hideComment' : 'unhideComment',
          tags: ['Operators'],
          summary: hidden ? 'Hide a comment' : 'Unhide a comment',
          description: hidden
            ? 'Upholds the open reports of the comment. A deleted comment can be hidden while it has open reports, ' +
              'and its text is then erased.'
            : 'Decisions on reports of the comment stay unchanged.',
          security: walletRequired,
          params: IdParams,
          body: Decision,
          response: {
            200: Envelope(ref(CommentVisibility)),
            ...failures('NOT_ADMIN', 'WALLET_BANNED', notFound('Comment', Id)),
          },
        },
      },
      async (request) => {
        const id = Number(request.params.id)
        const decision = { id, hidden, actor: walletOf(request), reason: readReason(request.body) }
        await app.transactionWithEvents(async (trx) => {
          const comment = await setCommentHidden(trx, decision)
          if (hidden && !comment.wasDeleted)
            await enqueueCommentRemoval(trx, { id: request.params.id, token: comment.token })
          return comment
        }, changeOfComment)
        return ok({ id: request.params.id, hidden })
      },
    )
  }
}

export default routes
