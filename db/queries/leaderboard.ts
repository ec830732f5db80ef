import { type Kysely, type RawBuilder, sql } from 'kysely'
import { executeSpread } from '../citus/execute-spread.ts'
import { bytes, columnToHex, toBytes } from '../hex.ts'
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
  /** A kind of launchpad, for its trades alone. */
  launchpad?: string | undefined
}

/** The newest trades of a wallet in which its sales are counted. */
const WIN_RATE_TRADES = 200

const DAY = 86_400
const lengths: Record<LeaderboardPeriod, number | null> = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY, all: null }

const suffixes: Record<LeaderboardPeriod, string> = { '24h': 'h24', '7d': 'd7', '30d': 'd30', all: 'total' }

const figures: Record<LeaderboardOrder, 'volume' | 'realized'> = { volume: 'volume', pnl: 'realized' }

/** Wallets by volume or profit in a period, of all their trades or of those on one kind of launchpad. */
export async function listLeaders(db: Kysely<Database>, args: LeaderQuery): Promise<LeaderRow[]> {
  const { launchpad: kind, by, limit } = args
  const read = async (lists: readonly LeaderSource[]) => (await buildLeaderList(args, lists).execute(db)).rows
  if (kind === undefined) {
    const kinds = [...(await readKinds(db)), null]
    return read(kinds.map((one) => ({ table: 'wallet_figures', kind: one })))
  }
  // Each table by itself: Citus cannot merge one that is spread with one that an upgrade has added, until that is spread, too.
  const tables = ['wallet_figures', 'wallet_launchpad_figures'] as const
  const lists = await Promise.all(tables.map((table) => read([{ table, kind }])))
  return lists.flat().sort(compareBy(figures[by])).slice(0, limit)
}

/** The kinds of launchpads with trades. */
async function readKinds(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    select distinct kind from launchpad_figures where trades_total > 0`.execute(db)
  return rows.map(({ kind }) => kind)
}

function compareBy(figure: 'volume' | 'realized') {
  return (a: LeaderRow, b: LeaderRow) => {
    const [left, right] = [BigInt(a[figure]), BigInt(b[figure])]
    if (left !== right) return left > right ? -1 : 1
    return a.wallet < b.wallet ? -1 : 1
  }
}

/** Rows that an index has in the order of each period and figure. */
export interface LeaderSource {
  /** wallet_launchpad_figures has the parts of the wallets that traded on several kinds of launchpads. */
  table: 'wallet_figures' | 'wallet_launchpad_figures'
  /** null: the wallets of several. */
  kind: string | null
}

/** The statement of listLeaders, exported to test its plan: merges what is read from the index of the period and figure. */
export function buildLeaderList(query: LeaderQuery, lists: readonly LeaderSource[]): RawBuilder<LeaderRow> {
  const { by, limit } = query
  const ordered = lists.flatMap((source) => readInOrder(source, query))
  return sql<LeaderRow>`
    select * from (${sql.join(ordered, sql` union all `)}) leaders order by ${sql.ref(figures[by])} desc, wallet limit ${limit}`
}

function readInOrder({ table, kind }: LeaderSource, { period, by, limit, after }: LeaderQuery): RawBuilder<unknown>[] {
  const column = (name: string) => sql.ref(`${name}_${suffixes[period]}`)
  const figure = column(figures[by])
  // An index is in the order of its first column too, also where that is null.
  const read = (position: RawBuilder<unknown>) => sql`
    (select wallet, ${column('volume')} as volume, ${column('volume_usd')} as volume_usd, ${column('realized')} as realized,
      ${column('realized_usd')} as realized_usd, ${column('trades')} as trades,
      exists (select from chain_state where quote_usd is not null) as has_usd
    from ${sql.table(table)}
    where ${column('trades')} > 0 and launchpad_kind ${kind === null ? sql`is null` : sql`= ${kind}`} ${position}
    order by launchpad_kind, ${figure} desc, wallet limit ${limit})`
  if (!after) return [read(sql``)]
  // Equal figures first, then smaller ones: each half enters the index at its own position.
  return [
    read(sql`and ${figure} = ${after[0]}::numeric and wallet > ${bytes(after[1])}`),
    read(sql`and ${figure} < ${after[0]}::numeric`),
  ]
}

/** Sales of a wallet in a period, and those with a profit, among its newest trades. */
export interface WinsRow {
  wallet: string
  sales: number
  wins: number
}

interface WinsQuery {
  wallets: readonly string[]
  period: LeaderboardPeriod
  /** A kind of launchpad, for its trades alone. */
  launchpad?: string | undefined
}

/** The sales of these wallets in a period, by wallet. */
export async function readWins(db: Kysely<Database>, args: WinsQuery): Promise<ReadonlyMap<string, WinsRow>> {
  if (args.wallets.length === 0) return new Map()
  const rows = await executeSpread(db, buildWins(args), () => buildSpreadWins(args))
  return new Map(rows.map((row) => [row.wallet, row]))
}

/** The statement of readWins, exported to test its plan. */
export function buildWins({ wallets, period, launchpad }: WinsQuery): RawBuilder<WinsRow> {
  const length = lengths[period]
  const isRecent = length === null ? sql`true` : sql`block_time >= s.clock_time - ${sql.lit(length)}`
  return sql<WinsRow>`
    select w.wallet, r.sales, r.wins
    from unnest(${wallets.map(toBytes)}::bytea[]) w (wallet) cross join chain_state s cross join lateral (
      select count(realized) as sales, count(*) filter (where realized > 0) as wins
      from (
        select realized, block_time, token_id from trades where trader = w.wallet
        order by block_number desc, log_index desc limit ${sql.lit(WIN_RATE_TRADES)}
      ) newest where ${isRecent} and ${isOnLaunchpad(launchpad)}
    ) r`
}

const isOnLaunchpad = (launchpad: string | undefined) =>
  launchpad === undefined
    ? sql`true`
    : sql`(select t.launchpad_kind from tokens t where t.id = newest.token_id) = ${launchpad}`

/** The same in Citus: the newest trades of each wallet are those of all servers. */
function buildSpreadWins({ wallets, period, launchpad }: WinsQuery): RawBuilder<WinsRow> {
  const length = lengths[period]
  const clock = sql`(select clock_time from chain_state limit 1)`
  const isRecent = length === null ? sql`true` : sql`block_time >= ${clock} - ${sql.lit(length)}`
  const newest = wallets.map(
    (wallet) => sql`(select trader, realized, block_time, token_id from trades where trader = ${bytes(wallet)}
      order by block_number desc, log_index desc limit ${sql.lit(WIN_RATE_TRADES)})`,
  )
  return sql<WinsRow>`
    with newest as materialized (${sql.join(newest, sql` union all `)})
    select ${columnToHex('trader')} as wallet, count(realized) as sales, count(*) filter (where realized > 0) as wins
    from newest where ${isRecent} and ${isOnLaunchpad(launchpad)} group by trader`
}
