import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listRaiseCommitments } from '../../db/queries/raises/raise-commitments.ts'
import { getRaiseCreator } from '../../db/queries/raises/raises.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { toCommitment } from '../../records/to-commitment.ts'
import { Envelope, ok } from '../../schemas/common.ts'
import { RaiseId } from '../../schemas/raise-values.ts'
import { CommitmentList, PartsQuery, RaiseParams } from '../../schemas/raises.ts'
import { AmountKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/raises/:id/commitments',
    {
      schema: {
        operationId: 'listCommitments',
        tags: ['Raises'],
        summary: 'List the commitments to a raise',
        description: 'Largest first. Excludes wallets that are only registered.',
        params: RaiseParams,
        querystring: PartsQuery,
        response: { 200: Envelope(CommitmentList), ...failures('NO_PAGES', notFound('Raise', RaiseId)) },
      },
    },
    async ({ db, params: { id }, query }) => {
      const order = `commitments:${id}`
      const { limit, after } = readCursor(query, order, AmountKeyset)
      const rows = await listRaiseCommitments(db, { raise: id, limit: limit + 1, after })
      if (rows.length === 0) await getRaiseCreator(db, id)
      const { items, nextCursor } = cutPage(rows, limit, order, (row) => [row.amount, row.wallet])
      return ok({ items: items.map(toCommitment), nextCursor })
    },
  )
}

export default routes
