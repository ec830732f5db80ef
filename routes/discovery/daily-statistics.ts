import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listDays, readDayBounds } from '../../db/queries/statistics/daily-statistics.ts'
import { getLaunchpad } from '../../launchpads/index.ts'
import { type LaunchpadKind, launchpadKinds } from '../../launchpads/kinds.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { DAY, toDayStatistics } from '../../records/statistics/to-day-statistics.ts'
import { Envelope, ok } from '../../schemas/common.ts'
import {
  DailyStatisticsQuery,
  DayStatisticsList,
  DEFAULT_DAYS,
  MAX_DAYS,
} from '../../schemas/statistics/daily-statistics.ts'
import { requireTimeOrder } from '../require-time-order.ts'

const ALL = { protocolFees: true, creatorFees: true }

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/stats/daily',
    {
      config: { cache: ['market', 'chain'] },
      schema: {
        operationId: 'listDailyStatistics',
        tags: ['Discovery'],
        summary: 'List volume and fees by day',
        description:
          'Volume, trades and fees of each day (UTC), of all launchpads or of one kind, for aggregators that read a day at a time.',
        querystring: DailyStatisticsQuery,
        response: { 200: Envelope(DayStatisticsList), ...failures() },
      },
    },
    async ({ db, query: { launchpad: asked, ...query } }) => {
      const range = { from: toDay(query.from), to: toDay(query.to) }
      requireTimeOrder(range)
      const kind = asked === undefined ? undefined : findKind(asked)
      const { first, indexed_to } = await readDayBounds(db)
      if (first === null || indexed_to === null || kind === null) return ok({ items: [] })
      const to = Math.min(range.to ?? indexed_to, indexed_to - (indexed_to % DAY))
      const from = Math.max(range.from ?? to - (DEFAULT_DAYS - 1) * DAY, first, to - (MAX_DAYS - 1) * DAY)
      const rows = await listDays(db, { from, to, kind })
      const emits = kind === undefined ? ALL : getLaunchpad(kind).emits
      return ok({ items: toDayStatistics(rows, { from, to, indexedTo: indexed_to, emits }) })
    },
  )
}

export default routes

/** Unix seconds of the start of a day (UTC). */
const toDay = (date: string | undefined): number | undefined =>
  date === undefined ? undefined : Date.parse(`${date}T00:00:00Z`) / 1_000

const findKind = (asked: string): LaunchpadKind | null =>
  Object.hasOwn(launchpadKinds, asked) ? (asked as LaunchpadKind) : null
