import { type Kysely, type RawBuilder, sql } from 'kysely'
import { bytes } from '../../hex.ts'
import type { Database } from '../../schema.ts'
import { isArchived } from '../archives.ts'

export type StatsPeriod = '24h' | '7d' | '30d' | 'all'

/** The newest trades of a wallet from which days, win rate and hold time are computed. */
export const STATS_TRADES = 10_000
export const DAY = 86_400
export const SECONDS: Record<StatsPeriod, number | null> = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY, all: null }
const COLUMNS: Record<StatsPeriod, string> = { '24h': 'h24', '7d': 'd7', '30d': 'd30', all: 'total' }

/** Sums over the trades of a day (unix seconds), or of the period (null). Amounts in base units of the native coin. */
export interface TradingDay {
  day: number | null
  trades: number
  volume: string
  volume_usd: string
  realized: string
  realized_usd: string
  sales: number
  wins: number
  /** Median time between the last purchase of a token and a sale, in seconds. */
  hold: number | null
  /** Of any period: how many trades were read, and the time of the first of them. */
  read_trades: number
  read_since: number | null
}

/** The sums of a period, over all trades. */
export interface WalletTotals {
  trades: number
  volume: string
  volume_usd: string
  realized: string
  realized_usd: string
  native_usd: string | null
  native_symbol: string
  /** Whether trades of the period are archived. */
  is_archived: boolean
  /** Unix seconds of the last archived trade of any time; null: none is archived. */
  archived_until: number | null
  /** Unix seconds at which the period ends. */
  clock: number
}

/** The sums of a wallet that never traded. */
export const NO_TRADES = { trades: 0, volume: '0', volume_usd: '0', realized: '0', realized_usd: '0' }

interface StatsQuery {
  wallet: string
  period: StatsPeriod
}

/** Start of a period by the chain's clock, of chain_state as s. */
const startOf = (period: StatsPeriod) =>
  SECONDS[period] === null ? sql`0` : sql`(s.clock_time - ${sql.lit(SECONDS[period])})`

/** Undefined before the first indexed block. */
export async function findWalletTotals(
  db: Kysely<Database>,
  { wallet, period }: StatsQuery,
): Promise<WalletTotals | undefined> {
  const state = await db
    .selectFrom('chain_state')
    .select(['quote_usd as native_usd', 'native_symbol', 'clock_time'])
    .executeTakeFirst()
  if (!state) return undefined
  const { clock_time: clock, ...money } = state
  const column = (name: string) => sql`${sql.ref(`${name}_${COLUMNS[period]}`)} as ${sql.ref(name)}`
  const sums = ['trades', 'volume', 'volume_usd', 'realized', 'realized_usd'] as const
  // Two statements, because Citus spreads figures by wallet and archived pairs by token.
  const { rows: figures } = await sql<Pick<WalletTotals, (typeof sums)[number]>>`
    select ${sql.join(sums.map(column))} from wallet_figures where wallet = ${bytes(wallet)}`.execute(db)
  const start = SECONDS[period] === null ? 0 : clock - SECONDS[period]
  const { rows: archived } = await sql<{ until: number | null }>`
    select max(p.last_trade_at) as until from archived_pairs p where p.wallet = ${bytes(wallet)} and ${isArchived('p')}`.execute(
    db,
  )
  const until = archived[0]?.until ?? null
  const is_archived = until !== null && until >= start
  return { ...(figures[0] ?? NO_TRADES), ...money, clock, is_archived, archived_until: until }
}

export async function listTradingDays(db: Kysely<Database>, args: StatsQuery): Promise<TradingDay[]> {
  const { rows } = await buildTradingDays(args).execute(db)
  return rows
}

/**
 * The statement of listTradingDays, exported to test its plan: the days in order, after a row for all of them. `net`: what the trades
 * up to one have added to the wallet's bought tokens, if there were no received ones; the lowest before a sale is what others have sent.
 */
export const buildTradingDays = ({ wallet, period }: StatsQuery): RawBuilder<TradingDay> => sql<TradingDay>`
  with recent as materialized (
    select block_number, log_index, block_time, token_id, side, coalesce(value_native, quote_amount) as value_native, value_usd,
      coalesce(realized_native, realized) as realized, realized_usd,
      case when not trader_known then 0 when side = 'b' then token_amount else -token_amount end as amount
    from trades where trader = ${bytes(wallet)}
    order by block_number desc, log_index desc limit ${sql.lit(STATS_TRADES)}
  ), summed as (
    select r.*, max(block_time) filter (where side = 'b') over trades_of_token as bought_at, sum(amount) over trades_of_token as net
    from recent r window trades_of_token as (partition by token_id order by block_number, log_index)
  ), dated as (
    select r.*, net - amount > least(0, min(net) over (
      partition by token_id order by block_number, log_index rows between unbounded preceding and 1 preceding)) as had_bought
    from summed r
  )
  select d.block_time / ${sql.lit(DAY)} * ${sql.lit(DAY)} as day, count(*) as trades, coalesce(sum(value_native), 0) as volume,
    coalesce(sum(value_usd), 0) as volume_usd, coalesce(sum(realized), 0) as realized,
    coalesce(sum(realized_usd), 0) as realized_usd, count(realized) as sales, count(*) filter (where realized > 0) as wins,
    percentile_cont(0.5) within group (order by case when side = 's' and had_bought then block_time - bought_at end) as hold,
    (select count(*) from recent) as read_trades, (select min(block_time) from recent) as read_since
  from dated d cross join chain_state s
  where d.block_time >= ${startOf(period)}
  group by grouping sets ((1), ())
  order by 1 nulls first`
