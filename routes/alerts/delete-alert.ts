import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { deleteAlert } from '../../db/queries/alerts.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { AlertDeletion } from '../../schemas/alerts.ts'
import { Id, IdParams } from '../../schemas/comments.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteAlert',
        tags: ['Alerts'],
        summary: 'Delete your alert',
        description: 'Notifications that it caused stay. 404 for alerts of other wallets, which are private.',
        security: walletRequired,
        params: IdParams,
        response: { 200: Envelope(ref(AlertDeletion)), ...failures('WALLET_BANNED', notFound('Alert', Id)) },
      },
    },
    async (request) => {
      const { id } = request.params
      const wallet = walletOf(request)
      await request.db.transaction().execute((trx) => deleteAlert(trx, { wallet, id: Number(id) }))
      return ok({ id, deleted: true as const })
    },
  )
}

export default routes
