import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listLeaders, readWins } from '../../db/queries/leaderboard.ts'
import { findAuthors } from '../../db/queries/profiles.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { nativeQuote } from '../../records/quote.ts'
import { toLeaderboardEntry } from '../../records/to-leaderboard-entry.ts'
import { Envelope, ok } from '../../schemas/common.ts'
import { LeaderboardList, LeaderboardQuery } from '../../schemas/leaderboard.ts'
import { RankKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/leaderboard',
    {
      config: { bucket: 'read-heavy', heavyRead: 'aggregate', cache: ['market', 'chain', 'social'] },
      schema: {
        operationId: 'listLeaderboard',
        tags: ['Discovery'],
        summary: 'Rank wallets by volume or profit',
        description:
          'Wallets that traded within the period, by traded volume or by realized profit, highest first. With launchpad, figures ' +
          'and ranks are those of the trades on it.',
        querystring: LeaderboardQuery,
        response: { 200: Envelope(LeaderboardList), ...failures('NO_PAGES') },
      },
    },
    async ({ db, query }) => {
      const { period = '24h', by = 'volume', launchpad } = query
      const quote = nativeQuote(app.settings.nativeCurrency.symbol)
      const order = ['leaderboard', by, period, ...(launchpad === undefined ? [] : [launchpad])].join(':')
      const { limit, after } = readCursor(query, order, RankKeyset)
      const [figure, wallet, passed] = after ?? [null, null, 0]
      const keyset = figure === null ? null : ([figure, wallet] as const)
      const rows = await listLeaders(db, { period, by, launchpad, limit: limit + 1, after: keyset })
      const ranked = rows.map((row, at) => ({ ...row, rank: passed + at + 1 }))
      const { items, nextCursor } = cutPage(ranked, limit, order, (row) => [
        by === 'volume' ? row.volume : row.realized,
        row.wallet,
        row.rank,
      ])
      const [authors, wins] = await Promise.all([
        findAuthors(db, items),
        readWins(db, { wallets: items.map(({ wallet }) => wallet), period, launchpad }),
      ])
      const entries = items.map(({ rank, ...row }) => {
        const { wallet } = row
        return toLeaderboardEntry(row, { rank, period, by, quote, author: authors.get(wallet), wins: wins.get(wallet) })
      })
      return ok({ items: entries, nextCursor })
    },
  )
}

export default routes
