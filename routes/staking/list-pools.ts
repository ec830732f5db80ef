import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listStakingPools } from '../../db/queries/staking/staking-pools.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toStakingPool } from '../../records/to-staking-pool.ts'
import { Envelope, ok } from '../../schemas/common.ts'
import { PoolList, PoolQuery } from '../../schemas/staking.ts'
import { PositionKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const ORDER = 'staking:pools'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/pools',
    {
      schema: {
        operationId: 'listStakingPools',
        tags: ['Staking'],
        summary: 'List the staking pools',
        description: 'Latest first.',
        querystring: PoolQuery,
        response: { 200: Envelope(PoolList), ...failures('NO_PAGES') },
      },
    },
    async ({ db, query }) => {
      const { limit, after } = readCursor(query, ORDER, PositionKeyset)
      const rows = await listStakingPools(db, { filter: { token: query.token }, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.created_block, row.created_log])
      return ok({ items: items.map(toStakingPool), nextCursor })
    },
  )
}

export default routes
