import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listTopTraders } from '../../db/queries/forensics/top-traders.ts'
import { getLaunch } from '../../db/queries/launches.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toTopTrader } from '../../records/forensics/to-top-trader.ts'
import { AddressParams, Envelope, ok } from '../../schemas/common.ts'
import { TopTraderList, TopTraderQuery } from '../../schemas/forensics.ts'
import { SignedAmountKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address/top-traders',
    {
      config: { bucket: 'read-heavy', heavyRead: 'aggregate', cache: ['token', 'chain'] },
      schema: {
        operationId: 'listTopTraders',
        tags: ['Forensics'],
        summary: 'List the top traders of a token',
        description:
          'Highest first, with profit at average cost, as in the portfolio: received tokens have no cost and make no profit. ' +
          'Sales in a pool by an unknown seller count for nobody.',
        params: AddressParams,
        querystring: TopTraderQuery,
        response: { 200: Envelope(TopTraderList), ...failures('NO_PAGES', 'TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, params, query }) => {
      const { by = 'realized' } = query
      const order = `traders by ${by}`
      const { limit, after } = readCursor(query, order, SignedAmountKeyset)
      const launch = await getLaunch(db, params.address)
      const rows = await listTopTraders(db, { tokenId: launch.id, by, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, order, (row) => [row.rank, row.wallet])
      return ok({ items: items.map((row) => toTopTrader(row, launch)), nextCursor })
    },
  )
}

export default routes
