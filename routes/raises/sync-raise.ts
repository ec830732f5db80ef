import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findRaiseEventsAt, getRaise } from '../../db/queries/raises/raises.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toRaiseEvent } from '../../records/to-raise-event.ts'
import { Envelope, ok, ref, TxHashBody, walletRequired } from '../../schemas/common.ts'
import { type RaiseAct, raiseActs, SyncedRaise } from '../../schemas/raise-events.ts'
import { RaiseId } from '../../schemas/raise-values.ts'
import { RaiseParams } from '../../schemas/raises.ts'
import { receiptSyncReasons } from '../reasons.ts'
import { syncReceipt } from '../sync-receipt.ts'
import { personalizeRaise } from './personalize-raises.ts'

const operations: Record<RaiseAct, { operationId: string; summary: string }> = {
  register: { operationId: 'syncRegistration', summary: 'Sync a registration' },
  commit: { operationId: 'syncCommitment', summary: 'Sync a commitment' },
  claim: { operationId: 'syncTokenClaim', summary: 'Sync a claim of tokens' },
  refund: { operationId: 'syncRefund', summary: 'Sync a refund' },
  finalize: { operationId: 'syncFinalization', summary: 'Sync a finalization' },
}

/** Receipt sync of all actions on a raise; each looks for its own event. */
const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const act of Object.keys(raiseActs) as RaiseAct[]) {
    app.post(
      `/raises/:id/${act}`,
      {
        config: { bucket: 'trade' },
        schema: {
          ...operations[act],
          tags: ['Raises'],
          description:
            'After the transaction is sent to the chain, send its hash. The service indexes the transaction ' +
            'immediately and returns your wallet’s actions on this raise in it. 425 if the transaction is not mined ' +
            'yet; retry.',
          security: walletRequired,
          params: RaiseParams,
          body: TxHashBody,
          response: {
            200: Envelope(ref(SyncedRaise)),
            ...failures(...receiptSyncReasons, notFound('Raise', RaiseId)),
          },
        },
      },
      async (request) => {
        const [{ id: subject }, { txHash }] = [request.params, request.body]
        const wallet = walletOf(request)
        const { positions } = await syncReceipt(request, { txHash, wallet, kind: raiseActs[act], subject })
        const events = (await findRaiseEventsAt(request.db, positions)).map(toRaiseEvent)
        return ok({ txHash, events, raise: await personalizeRaise(await getRaise(request.db, subject), request) })
      },
    )
  }
}

export default routes
