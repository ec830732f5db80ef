import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listStakingPositions } from '../../db/queries/staking/staking-positions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { callerOf } from '../../plugins/auth.ts'
import { toStakingPosition } from '../../records/to-staking-position.ts'
import { Envelope, ok, walletOptional } from '../../schemas/common.ts'
import { PositionList, PositionQuery } from '../../schemas/staking.ts'
import { PositionKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { callerReasons } from '../reasons.ts'

const ORDER = 'staking:positions'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/positions',
    {
      schema: {
        operationId: 'listStakingPositions',
        tags: ['Staking'],
        summary: 'List the staking positions of a wallet',
        description:
          'For `wallet`, without authentication; default: the authenticated wallet. Most recently used positions ' +
          'first. Empty positions are included, with the rewards that they claimed.',
        security: walletOptional,
        querystring: PositionQuery,
        response: { 200: Envelope(PositionList), ...failures('NO_PAGES', ...callerReasons) },
      },
    },
    async (request) => {
      const { wallet = await callerOf(request), pool } = request.query
      const { limit, after } = readCursor(request.query, ORDER, PositionKeyset)
      const rows = await listStakingPositions(request.db, { wallet, pool, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.state_block, row.state_log])
      return ok({ items: items.map(toStakingPosition), nextCursor })
    },
  )
}

export default routes
