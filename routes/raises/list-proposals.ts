import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listProposals } from '../../db/queries/raises/raise-proposals.ts'
import { getRaiseCreator } from '../../db/queries/raises/raises.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { Envelope, ok, walletOptional } from '../../schemas/common.ts'
import { ProposalList, ProposalQuery } from '../../schemas/proposals.ts'
import { RaiseId } from '../../schemas/raise-values.ts'
import { RaiseParams } from '../../schemas/raises.ts'
import { PositionKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { personalizeProposals } from './personalize-proposals.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/raises/:id/proposals',
    {
      schema: {
        operationId: 'listProposals',
        tags: ['Raises'],
        summary: 'List the proposals of a raise',
        description:
          'Latest first. A state changes with the chain’s clock, so a later page may lack proposals that changed ' +
          'state meanwhile.',
        security: walletOptional,
        params: RaiseParams,
        querystring: ProposalQuery,
        response: { 200: Envelope(ProposalList), ...failures('NO_PAGES', notFound('Raise', RaiseId)) },
      },
    },
    async (request) => {
      const [{ id }, { state }] = [request.params, request.query]
      const order = `proposals:${id}`
      const { limit, after } = readCursor(request.query, order, PositionKeyset)
      const rows = await listProposals(request.db, { raise: id, state, limit: limit + 1, after })
      if (rows.length === 0) await getRaiseCreator(request.db, id)
      const { items, nextCursor } = cutPage(rows, limit, order, (row) => [row.created_block, row.created_log])
      return ok({ items: await personalizeProposals(items, request), nextCursor })
    },
  )
}

export default routes
