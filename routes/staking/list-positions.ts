import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listStakingPositions } from '../../db/queries/staking-positions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { callerOf } from '../../plugins/auth.ts'
import { Envelope, ok, walletOptional } from '../../schemas/common.ts'
import { PositionList, PositionQuery } from '../../schemas/staking.ts'
import { PositionKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'
import { callerReasons } from '../reasons.ts'
import { toStakingPosition } from './to-staking-position.ts'

const ORDER = 'staking:positions'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/positions',
    {
      schema: {
        operationId: 'listStakingPositions',
        tags: ['Staking'],
        summary: 'List what a wallet has staked',
        description:
          'Of the wallet given, which needs no token of sign-in, or else of your own. Positions that the wallet did ' +
          'something to last come first; one that was emptied stays, for what it has claimed.',
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
