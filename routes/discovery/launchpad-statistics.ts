import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listLaunchpadStatistics } from '../../db/queries/statistics/launchpad-statistics.ts'
import { getLaunchpad } from '../../launchpads/index.ts'
import type { LaunchpadKind } from '../../launchpads/kinds.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { nameLaunchpad } from '../../records/launchpad.ts'
import { toLaunchpadStatistics } from '../../records/statistics/to-launchpad-statistics.ts'
import { Envelope, ok } from '../../schemas/common.ts'
import { LaunchpadStatisticsList } from '../../schemas/statistics/launchpad-statistics.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/stats/launchpads',
    {
      config: { cache: ['market', 'chain'] },
      schema: {
        operationId: 'listLaunchpadStatistics',
        tags: ['Discovery'],
        summary: 'Get statistics by launchpad',
        description:
          'Statistics of the last day and of all time, of each kind of launchpad that has launched a token. The one with the ' +
          'most volume comes first.',
        response: { 200: Envelope(LaunchpadStatisticsList), ...failures() },
      },
    },
    async ({ db }) => {
      const rows = await listLaunchpadStatistics(db)
      const describe = (kind: LaunchpadKind) => ({
        name: nameLaunchpad(kind, app.settings.brand),
        emits: getLaunchpad(kind).emits,
      })
      return ok({ items: rows.map((row) => toLaunchpadStatistics(row, describe(row.kind))) })
    },
  )
}

export default routes
