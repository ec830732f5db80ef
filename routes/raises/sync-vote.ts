import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getProposal } from '../../db/queries/raises/raise-proposals.ts'
import { findRaiseEventsAt } from '../../db/queries/raises/raises.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toRaiseEvent } from '../../records/to-raise-event.ts'
import { Envelope, ok, ref, TxHashBody, walletRequired } from '../../schemas/common.ts'
import { ProposalParams } from '../../schemas/proposals.ts'
import { proposalActs, SyncedProposal } from '../../schemas/raise-events.ts'
import { ProposalId } from '../../schemas/raise-values.ts'
import { receiptSyncReasons } from '../reasons.ts'
import { syncReceipt } from '../sync-receipt.ts'
import { personalizeProposal } from './personalize-proposals.ts'

const operations = {
  vote: { operationId: 'syncVote', summary: 'Sync a vote' },
  exit: { operationId: 'syncExit', summary: 'Sync an exit from a raise' },
  execute: { operationId: 'syncExecution', summary: 'Sync the execution of a proposal' },
} as const

/** Receipt sync of all actions on a proposal. */
const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const kind of proposalActs) {
    app.post(
      `/proposals/:id/${kind}`,
      {
        config: { bucket: 'trade' },
        schema: {
          ...operations[kind],
          tags: ['Raises'],
          description:
            'After the transaction is sent to the chain, send its hash. The service indexes the transaction ' +
            'immediately and returns your wallet’s actions on this proposal in it, and the updated proposal.',
          security: walletRequired,
          params: ProposalParams,
          body: TxHashBody,
          response: {
            200: Envelope(ref(SyncedProposal)),
            ...failures(...receiptSyncReasons, notFound('Proposal', ProposalId)),
          },
        },
      },
      async (request) => {
        const [{ id: proposal }, { txHash }] = [request.params, request.body]
        const { positions } = await syncReceipt(request, { txHash, wallet: walletOf(request), kind, proposal })
        const events = (await findRaiseEventsAt(request.db, positions)).map(toRaiseEvent)
        const row = await getProposal(request.db, proposal)
        return ok({ txHash, events, proposal: await personalizeProposal(row, request) })
      },
    )
  }
}

export default routes
