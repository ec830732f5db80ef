import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getRevenue } from '../../db/queries/portfolio/revenue.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toRevenue } from '../../records/to-revenue.ts'
import { AddressParams, Envelope, ok } from '../../schemas/common.ts'
import { RevenueList, RevenueQuery } from '../../schemas/revenue.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address/revenue',
    {
      config: { cache: ['token'] },
      schema: {
        operationId: 'getTokenRevenue',
        tags: ['Tokens'],
        summary: 'Get the creator fees of a token',
        description:
          'What its trades earned for its creator, and what was paid out. A split of the fees, or a transfer of the right to ' +
          'them, counts from the next payout on, as on the chain.',
        params: AddressParams,
        querystring: RevenueQuery,
        response: { 200: Envelope(RevenueList), ...failures('TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, params, query }) => {
      const row = await getRevenue(db, { token: params.address, wallet: query.wallet ?? null })
      return ok({ items: [toRevenue(row)] })
    },
  )
}

export default routes
