import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { setRaiseFeatured } from '../../db/queries/moderation.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { Decision, RaiseFeature } from '../../schemas/operators/operators.ts'
import { RaiseId } from '../../schemas/raise-values.ts'
import { RaiseParams } from '../../schemas/raises.ts'
import { readReason } from './read-reason.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const common = { tags: ['Labs'], security: walletRequired, params: RaiseParams }
  const success = Envelope(ref(RaiseFeature))

  app.post(
    '/raises/:id/feature',
    {
      schema: {
        ...common,
        operationId: 'featureRaise',
        summary: 'Feature a raise',
        description: 'Sets `featured` of the raise. Idempotent.',
        body: Decision,
        response: { 200: success, ...failures('NOT_LABS', 'WALLET_BANNED', notFound('Raise', RaiseId)) },
      },
    },
    async (request) => {
      const { id: raise } = request.params
      const decision = { raise, featured: true, actor: walletOf(request), reason: readReason(request.body) }
      await app.transactionWithEvents((trx) => setRaiseFeatured(trx, decision), ['raises'])
      return ok({ id: raise, featured: true })
    },
  )

  app.delete(
    '/raises/:id/feature',
    {
      schema: {
        ...common,
        operationId: 'unfeatureRaise',
        summary: 'Unfeature a raise',
        description: 'Clears `featured` of the raise. Idempotent.',
        response: { 200: success, ...failures('NOT_LABS', 'WALLET_BANNED', notFound('Raise', RaiseId)) },
      },
    },
    async (request) => {
      const { id: raise } = request.params
      const decision = { raise, featured: false, actor: walletOf(request), reason: null }
      await app.transactionWithEvents((trx) => setRaiseFeatured(trx, decision), ['raises'])
      return ok({ id: raise, featured: false })
    },
  )
}

export default routes
