import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findProposalsAt, upsertProposalTexts } from '../../db/queries/raises/raise-proposals.ts'
import type { SyncRequest } from '../../indexer/engine/sync.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { PROPOSAL_DESCRIPTION_LENGTH, ProposalCreation } from '../../schemas/proposals.ts'
import { SyncedProposals } from '../../schemas/raise-events.ts'
import { RaiseParams } from '../../schemas/raises.ts'
import { readOptionalText } from '../read-text.ts'
import { receiptSyncReasons } from '../reasons.ts'
import { syncReceipt } from '../sync-receipt.ts'
import { personalizeProposals } from './personalize-proposals.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/raises/:id/propose',
    {
      config: { bucket: 'trade' },
      schema: {
        operationId: 'syncProposal',
        tags: ['Raises'],
        summary: 'Sync a proposal',
        description:
          'After proposing on the chain, send the transaction hash. The service indexes the transaction ' +
          'immediately and returns the proposals to this raise that your wallet created in it. A description is ' +
          'stored only until the first vote.',
        security: walletRequired,
        params: RaiseParams,
        body: ProposalCreation,
        response: {
          200: Envelope(ref(SyncedProposals)),
          ...failures(...receiptSyncReasons),
        },
      },
    },
    async (request) => {
      const [{ txHash, description: raw }, wallet] = [request.body, walletOf(request)]
      const description = readOptionalText(raw, 'body.description', PROPOSAL_DESCRIPTION_LENGTH)
      const subject = request.params.id
      // It is stored with the claim, because it cannot be added later, and before the first vote, because it is what is voted on.
      const storeClientData: SyncRequest['storeClientData'] = async (trx, positions) => {
        if (description === undefined) return { cacheTags: [], events: [] }
        const made = await findProposalsAt(trx, positions)
        const proposals = made.filter(({ voter_count: voters }) => voters === 0).map(({ id }) => id)
        await upsertProposalTexts(trx, { proposals, proposer: wallet, description })
        return { cacheTags: ['raises'], events: [] }
      }
      const { positions } = await syncReceipt(request, { txHash, wallet, kind: 'propose', subject, storeClientData })
      return ok({
        txHash,
        proposals: await personalizeProposals(await findProposalsAt(request.db, positions), request),
      })
    },
  )
}

export default routes
