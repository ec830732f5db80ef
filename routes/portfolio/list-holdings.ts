import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listHoldings } from '../../db/queries/portfolio/portfolio.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { callerOf } from '../../plugins/auth.ts'
import { toHolding } from '../../records/to-holding.ts'
import { Envelope, ok, walletOptional } from '../../schemas/common.ts'
import { HoldingList, HoldingsQuery } from '../../schemas/portfolio.ts'
import { TokenKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { callerReasons } from '../reasons.ts'

const ORDER = 'holdings'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/holdings',
    {
      config: { bucket: 'read-heavy', heavyRead: 'aggregate' },
      schema: {
        operationId: 'listHoldings',
        tags: ['Portfolio'],
        summary: 'List all token holdings of a wallet',
        description:
          'In the order in which the service first saw the launches, without a maximum. For `wallet`; default: the authenticated wallet.',
        security: walletOptional,
        querystring: HoldingsQuery,
        response: { 200: Envelope(HoldingList), ...failures('NO_PAGES', ...callerReasons) },
      },
    },
    async (request) => {
      const { limit, after } = readCursor(request.query, ORDER, TokenKeyset)
      const wallet = request.query.wallet ?? (await callerOf(request))
      const rows = await listHoldings(request.db, { wallet, limit: limit + 1, after: after?.[0] ?? null })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.token_id])
      return ok({ items: items.map(toHolding), nextCursor })
    },
  )
}

export default routes
