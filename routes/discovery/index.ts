import type { FastifyPluginAsync } from 'fastify'
import * as leaderboardSchemas from '../../schemas/leaderboard.ts'
import * as searchSchemas from '../../schemas/search.ts'
import * as dailyStatisticsSchemas from '../../schemas/statistics/daily-statistics.ts'
import * as launchpadStatisticsSchemas from '../../schemas/statistics/launchpad-statistics.ts'
import * as statisticsSchemas from '../../schemas/statistics/statistics.ts'
import type { Domain } from '../domain.ts'
import dailyStatistics from './daily-statistics.ts'
import launchpadStatistics from './launchpad-statistics.ts'
import leaderboard from './leaderboard.ts'
import search from './search.ts'
import statistics from './statistics.ts'

const discovery: FastifyPluginAsync = async (app) => {
  app.register(search)
  app.register(leaderboard)
  app.register(statistics)
  app.register(launchpadStatistics)
  app.register(dailyStatistics)
}

export default {
  plugin: discovery,
  tags: [{ name: 'Discovery', description: 'Search, leaderboard and platform statistics.' }],
  schemas: [
    ...searchSchemas.components,
    ...leaderboardSchemas.components,
    ...statisticsSchemas.components,
    ...launchpadStatisticsSchemas.components,
    ...dailyStatisticsSchemas.components,
  ],
  channels: statisticsSchemas.channels,
  events: statisticsSchemas.liveEvents,
} satisfies Domain
