import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { lockForApply } from '../../db/apply-lock.ts'
import { setTokenHidden } from '../../db/queries/moderation.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { AddressParams, Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { Decision, TokenVisibility } from '../../schemas/operators/operators.ts'
import { readReason } from './read-reason.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const hidden of [true, false]) {
    app.post(
      `/tokens/:address/${hidden ? 'hide' : 'unhide'}`,
      {
        schema: {
          operationId: hidden ? 'hideToken' : 'unhideToken',
          tags: ['Operators'],
          summary: hidden ? 'Hide a token from all lists' : 'Unhide a token',
          description:
            'The token is returned by address in either case. One of a removed launchpad stays hidden until that is added again.',
          security: walletRequired,
          params: AddressParams,
          body: Decision,
          response: {
            200: Envelope(ref(TokenVisibility)),
            ...failures('NOT_ADMIN', 'WALLET_BANNED', 'TOKEN_NOT_FOUND'),
          },
        },
      },
      async (request) => {
        const { address: token } = request.params
        const decision = { token, hidden, actor: walletOf(request), reason: readReason(request.body) }
        const isHidden = await app.transactionWithEvents(
          async (trx) => {
            await lockForApply(trx)
            return setTokenHidden(trx, decision)
          },
          ['token', cacheTagOf(token), 'market'],
        )
        return ok({ address: token, hidden: isHidden })
      },
    )
  }
}

export default routes
