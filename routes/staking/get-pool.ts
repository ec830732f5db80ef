import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getStakingPool } from '../../db/queries/staking/staking-pools.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { toStakingPool } from '../../records/to-staking-pool.ts'
import { Envelope, ok, ref } from '../../schemas/common.ts'
import { PoolId, PoolParams, StakingPool } from '../../schemas/staking.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/pools/:id',
    {
      schema: {
        operationId: 'getStakingPool',
        tags: ['Staking'],
        summary: 'Get a staking pool',
        description: 'Figures are as of the newest block.',
        params: PoolParams,
        response: { 200: Envelope(ref(StakingPool)), ...failures(notFound('Staking pool', PoolId)) },
      },
    },
    async ({ db, params }) => ok(toStakingPool(await getStakingPool(db, params.id))),
  )
}

export default routes
