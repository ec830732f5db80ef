import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getRaiseFigures } from '../../db/queries/raises/raises.ts'
import { getStakingFigures } from '../../db/queries/staking/staking-pools.ts'
import { getStatistics } from '../../db/queries/statistics/statistics.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toStatistics } from '../../records/statistics/to-statistics.ts'
import { Envelope, ok, ref } from '../../schemas/common.ts'
import { Statistics } from '../../schemas/statistics/statistics.ts'

/** Whether an indexer is active changes without a commit. */
const CACHE_MS = 2_000

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/stats',
    {
      config: { cache: ['market', 'chain', 'staking', 'raises'], cacheMs: CACHE_MS },
      schema: {
        operationId: 'getStatistics',
        tags: ['Discovery'],
        summary: 'Get platform statistics',
        description: 'Statistics of the last day and of all time, and the state of the indexer.',
        response: { 200: Envelope(ref(Statistics)), ...failures() },
      },
    },
    async (request) => {
      const [row, staking, raises] = await Promise.all([
        getStatistics(request.db),
        getStakingFigures(request.db),
        getRaiseFigures(request.db),
      ])
      return ok(toStatistics(row, staking, raises))
    },
  )
}

export default routes
