import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getProposal } from '../../db/queries/raises/raise-proposals.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { Envelope, ok, ref, walletOptional } from '../../schemas/common.ts'
import { Proposal, ProposalParams } from '../../schemas/proposals.ts'
import { ProposalId } from '../../schemas/raise-values.ts'
import { personalizeProposal } from './personalize-proposals.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/proposals/:id',
    {
      schema: {
        operationId: 'getProposal',
        tags: ['Raises'],
        summary: 'Get a proposal',
        description: 'State as of the newest block. Includes the vote of the authenticated wallet.',
        security: walletOptional,
        params: ProposalParams,
        response: { 200: Envelope(ref(Proposal)), ...failures(notFound('Proposal', ProposalId)) },
      },
    },
    async (request) => ok(await personalizeProposal(await getProposal(request.db, request.params.id), request)),
  )
}

export default routes
