import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { setTokenFeatured } from '../../db/queries/moderation.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { AddressParams, Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { Decision, TokenFeature } from '../../schemas/operators/operators.ts'
import { readReason } from './read-reason.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const common = { tags: ['Labs'], security: walletRequired, params: AddressParams }
  const success = Envelope(ref(TokenFeature))

  app.post(
    '/tokens/:address/feature',
    {
      schema: {
        ...common,
        operationId: 'featureToken',
        summary: 'Feature a token',
        description: 'Sets `featured` of the token. Idempotent.',
        body: Decision,
        response: { 200: success, ...failures('NOT_LABS', 'WALLET_BANNED', 'TOKEN_NOT_FOUND') },
      },
    },
    async (request) => {
      const { address: token } = request.params
      const decision = { token, featured: true, actor: walletOf(request), reason: readReason(request.body) }
      await app.transactionWithEvents((trx) => setTokenFeatured(trx, decision), [cacheTagOf(token), 'market'])
      return ok({ address: token, featured: true })
    },
  )

  app.delete(
    '/tokens/:address/feature',
    {
      schema: {
        ...common,
        operationId: 'unfeatureToken',
        summary: 'Unfeature a token',
        description: 'Clears `featured` of the token; the token stays in all lists. The audit log records the wallet.',
        response: { 200: success, ...failures('NOT_LABS', 'WALLET_BANNED', 'TOKEN_NOT_FOUND') },
      },
    },
    async (request) => {
      const { address: token } = request.params
      const decision = { token, featured: false, actor: walletOf(request), reason: null }
      await app.transactionWithEvents((trx) => setTokenFeatured(trx, decision), [cacheTagOf(token), 'market'])
      return ok({ address: token, featured: false })
    },
  )
}

export default routes
