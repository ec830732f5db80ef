import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { logAction } from '../../db/queries/audit-log.ts'
import { getRaise, getRaiseCreator, upsertRaiseTexts } from '../../db/queries/raises/raises.ts'
import { AppError } from '../../errors.ts'
import { exemplify, failures, notFound } from '../../lib/openapi/failures.ts'
import { isAdmin, walletOf } from '../../plugins/auth.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { RaiseId } from '../../schemas/raise-values.ts'
import { Raise, RaiseParams, RaisePatch } from '../../schemas/raises.ts'
import { enqueueRaiseUpdates } from './enqueue-raise-updates.ts'
import { personalizeRaise } from './personalize-raises.ts'
import { readRaiseText } from './read-raise-text.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.patch(
    '/raises/:id',
    {
      schema: {
        operationId: 'patchRaise',
        tags: ['Raises'],
        summary: 'Update the texts of a raise',
        description:
          'For the wallet that created the raise, and for operators. Terms and title are on the chain and cannot ' +
          'be changed. `describedAt` is the time of the last change of the other texts.',
        security: walletRequired,
        params: RaiseParams,
        body: RaisePatch,
        response: {
          200: Envelope(ref(Raise)),
          ...failures('WALLET_BANNED', exemplify('NOT_OWNER', { resource: 'raise' }), notFound('Raise', RaiseId)),
        },
      },
    },
    async (request) => {
      const [{ id }, wallet] = [request.params, walletOf(request)]
      const creator = await getRaiseCreator(request.db, id)
      if (wallet !== creator && !isAdmin(request)) throw new AppError('NOT_OWNER', { resource: 'raise' })
      await app.transactionWithEvents(
        async (trx) => {
          const change = { raises: [id], creator, text: readRaiseText(request.body), wallet }
          if (wallet !== creator)
            await logAction(trx, { actor: wallet, action: 'raise.edit', subject: id, reason: null })
          if (await upsertRaiseTexts(trx, change)) await enqueueRaiseUpdates(trx, [id])
        },
        ['raises'],
      )
      return ok(await personalizeRaise(await getRaise(request.db, id), request))
    },
  )
}

export default routes
