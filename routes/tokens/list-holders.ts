import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listHolders } from '../../db/queries/holders.ts'
import { getLaunch } from '../../db/queries/tokens.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toHolder } from '../../records/to-holder.ts'
import { AddressParams, Envelope, ok } from '../../schemas/common.ts'
import { HolderList, TokenCursorQuery } from '../../schemas/tokens.ts'
import { AmountKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const ORDER = 'holders'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address/holders',
    {
      config: { cache: ['token'] },
      schema: {
        operationId: 'listTokenHolders',
        tags: ['Tokens'],
        summary: 'List the holders of a token',
        description:
          'Ordered by balance, highest first. The balances add up to the total supply; addresses other than plain ' +
          'wallets have a label.',
        params: AddressParams,
        querystring: TokenCursorQuery,
        response: { 200: Envelope(HolderList), ...failures('NO_PAGES', 'TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, params, query }) => {
      const { limit, after } = readCursor(query, ORDER, AmountKeyset)
      const launch = await getLaunch(db, params.address)
      const rows = await listHolders(db, { tokenId: launch.id, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.balance, row.wallet])
      return ok({ items: items.map((row) => toHolder(row, launch)), nextCursor })
    },
  )
}

export default routes
