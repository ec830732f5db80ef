import { type Kysely, sql } from 'kysely'
import { bytes } from '../hex.ts'
import type { Database } from '../schema.ts'

export type LeaderboardOrder = 'volume' | 'pnl'
export type LeaderboardPeriod = '24h' | '7d' | '30d' | 'all'

/** A wallet's trading in a period. volume and realized (profit of sales) in base units of the native coin. */
export interface LeaderRow {
  wallet: string
  volume: string
  volume_usd: string
  realized: string
  realized_usd: string
  trades: number
  /** Whether the price in US dollars is known. */
  has_usd: boolean
}

/** Sort key and wallet of the last row of the previous page. */
export type LeaderKeyset = readonly [figure: string, wallet: string]

interface LeaderQuery {
  period: LeaderboardPeriod
  by: LeaderboardOrder
  limit: number
  after: LeaderKeyset | null
}

const suffixes: Record<LeaderboardPeriod, string> = { '24h': 'h24', '7d': 'd7', '30d': 'd30', all: 'total' }

const figures: Record<LeaderboardOrder, 'volume' | 'realized'> = { volume: 'volume', pnl: 'realized' }

/** Wallets by volume or profit in a period, through the index of that period and figure. */
export async function listLeaders(db: Kysely<Database>, args: LeaderQuery): Promise<LeaderRow[]> {
  const { rows } = await buildLeaderList(args).execute(db)
  return rows
}

/** The statement of listLeaders, exported to test its plan. */
export function buildLeaderList({ period, by, limit, after }: LeaderQuery) {
  const column = (name: string) => sql.ref(`${name}_${suffixes[period]}`)
  const figure = column(figures[by])
  const select = sql`select wallet, ${column('volume')} as volume, ${column('volume_usd')} as volume_usd,
      ${column('realized')} as realized, ${column('realized_usd')} as realized_usd, ${column('trades')} as trades, exists (select from chain_state where quote_usd is not null) as has_usd
    from wallet_figures where ${column('trades')} > 0`
  const order = sql`order by ${sql.ref(figures[by])} desc, wallet limit ${limit}`
  if (!after) return sql<LeaderRow>`${select} ${order}`
  // Equal figures first, then smaller ones: each half enters the index at its own position.
  return sql<LeaderRow>`
    (${select} and ${figure} = ${after[0]}::numeric and wallet > ${bytes(after[1])} order by wallet limit ${limit})
    union all
    (${select} and ${figure} < ${after[0]}::numeric ${order})
    ${order}`
}
