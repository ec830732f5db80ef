import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listRaises } from '../../db/queries/raises/raises.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { Envelope, ok, walletOptional } from '../../schemas/common.ts'
import { RaiseList, RaiseQuery } from '../../schemas/raises.ts'
import { PositionKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { personalizeRaises } from './personalize-raises.ts'

const ORDER = 'raises'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/raises',
    {
      schema: {
        operationId: 'listRaises',
        tags: ['Raises'],
        summary: 'List raises',
        description:
          'Latest first. All given filters apply. A status changes with the chain’s clock, so a later page may ' +
          'lack raises that changed status meanwhile.',
        security: walletOptional,
        querystring: RaiseQuery,
        response: { 200: Envelope(RaiseList), ...failures('NO_PAGES') },
      },
    },
    async (request) => {
      const { status, creator, token } = request.query
      const { limit, after } = readCursor(request.query, ORDER, PositionKeyset)
      const rows = await listRaises(request.db, { filter: { status, creator, token }, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.created_block, row.created_log])
      return ok({ items: await personalizeRaises(items, request), nextCursor })
    },
  )
}

export default routes
