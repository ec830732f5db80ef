import type { Static } from '@sinclair/typebox'
import { toPercent } from '../chain/price.ts'
import type { LeaderRow, WinsRow } from '../db/queries/leaderboard.ts'
import type { AuthorColumns } from '../db/queries/profiles.ts'
import type { LeaderboardEntry } from '../schemas/leaderboard.ts'
import { toAuthor } from './to-author.ts'

type Entry = Static<typeof LeaderboardEntry>

type Ranking = Pick<Entry, 'rank' | 'period' | 'by' | 'quote'>

/** A wallet's place in a ranking as the API serves it. `author`: its username and avatar, if it has any. */
export const toLeaderboardEntry = (
  row: LeaderRow,
  { author, wins, ...ranking }: Ranking & { author: AuthorColumns | undefined; wins: WinsRow | undefined },
): Entry => ({
  rank: ranking.rank,
  wallet: row.wallet,
  profile: author ? toAuthor(row.wallet, author) : null,
  quote: ranking.quote,
  volumeNative: row.volume,
  volumeUsd: row.has_usd ? Number(row.volume_usd) : null,
  tradeCount: row.trades,
  realizedPnl: { native: row.realized, usd: row.has_usd ? Number(row.realized_usd) : null },
  winRatePct: wins ? toPercent(BigInt(wins.wins), BigInt(wins.sales)) : null,
  period: ranking.period,
  by: ranking.by,
})
