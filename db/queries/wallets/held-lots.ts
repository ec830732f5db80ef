import { type Kysely, type RawBuilder, sql } from 'kysely'
import { NATIVE } from '../../addresses.ts'
import { bytes } from '../../hex.ts'
import type { Database } from '../../schema.ts'
import { DAY, SECONDS, STATS_TRADES, type StatsPeriod, type TradingDay, type WalletTotals } from './wallet-stats.ts'

/** The days of a period that are valued, at most. */
const MAX_DAYS = 90
/** The tokens of a wallet that are valued day by day, at most. */
const MAX_TOKENS = 250
/** Transfers that a wallet sent, at most. */
const MAX_SENT = 10_000

/** The end of a day, which began at `day` (unix seconds). */
export interface DayEnd {
  day: number
  /** The last block with logs until then; null before the first one. */
  last_block: number | null
  /** US dollars for one native coin in it; null without a price. */
  native_usd: string | null
}

/** What a wallet had bought and not sold of a token after its last move in a day. Amounts in base units. */
export interface LotRow {
  token_id: number
  /** Index of the day; moves before the first day are in it. */
  day: number
  lot: string
  /** What of the token the wallet held if nobody else sent it any. */
  held: string
  /** How often bought tokens have left the wallet other than by a sale. */
  gone: number
  /** Cost in native coin, and in US dollars; null after a sale without a price. */
  cost_native: string | null
  cost_usd: string | null
  /** What the wallet holds now. */
  balance: string
}

/** The price at the end of a day with trades, or changes of the pool. */
export interface CloseRow {
  token_id: number
  /** Unix seconds. */
  day: number
  /** In the quote asset. */
  close: number
  /** Those of other assets than the native coin; null if unknown. */
  close_native: number | null
  close_usd: number | null
  decimals: number
  is_native: boolean
}

export interface HeldLots {
  /** The days before the last one. */
  days: readonly DayEnd[]
  /** Start of the last day, which is still open, in unix seconds. */
  today: number
  /** Whether the period has earlier days. */
  isTruncated: boolean
  /** null if not all that changed them was read. */
  lots: readonly LotRow[] | null
  closes: readonly CloseRow[]
}

interface HeldLotsQuery {
  wallet: string
  period: StatsPeriod
  totals: Pick<WalletTotals, 'clock' | 'archived_until'>
  /** That of the whole period. */
  whole: Pick<TradingDay, 'read_trades' | 'read_since'> | undefined
}

/** What values the bought tokens of a wallet at the end of each day of a period. Null if it never traded. */
export async function findHeldLots(db: Kysely<Database>, args: HeldLotsQuery): Promise<HeldLots | null> {
  const { wallet, period, totals, whole } = args
  const isArchived = totals.archived_until !== null
  if (!whole || (whole.read_trades === 0 && !isArchived)) return null
  const isComplete = !isArchived && whole.read_trades < STATS_TRADES
  const today = startOfDay(totals.clock)
  const begin = Math.max(
    startOfDay(totals.clock - (SECONDS[period] ?? totals.clock)),
    isComplete ? startOfDay(whole.read_since ?? 0) : 0,
  )
  const first = Math.max(begin, today - (MAX_DAYS - 1) * DAY)
  const held = { days: [], today, isTruncated: first > begin, lots: [], closes: [] }
  if (first >= today) return held
  const range = { first, last: today - DAY }
  const { rows: days } = await buildDayEnds(range).execute(db)
  if (!isComplete) return { ...held, days, lots: null }
  const starts = days.map(({ last_block }) => (last_block ?? -1) + 1)
  const { rows: lots } = await buildHeldLots({ wallet, starts }).execute(db)
  const tokenIds = [...new Set(lots.map(({ token_id }) => token_id))]
  if (tokenIds.length > MAX_TOKENS || lots.some(({ sent }) => sent > MAX_SENT)) return { ...held, days, lots: null }
  const { rows: closes } = await buildDailyCloses({ tokenIds, ...range }).execute(db)
  return { ...held, days, lots, closes }
}

const startOfDay = (time: number) => time - (time % DAY)

/** The ends of the days from `first` to `last`, exported to test its plan. */
export const buildDayEnds = ({ first, last }: { first: number; last: number }): RawBuilder<DayEnd> => sql<DayEnd>`
  select d.day, b.number as last_block, b.quote_usd as native_usd
  from generate_series(${first}::bigint, ${last}::bigint, ${sql.lit(DAY)}::bigint) as d (day)
  left join lateral (
    select number, quote_usd from blocks where time < d.day + ${sql.lit(DAY)} order by time desc, number desc limit 1
  ) b on true
  order by d.day`

/**
 * The lots of the tokens of which the wallet had bought any at the end of one of the days, exported to test its plan. `starts`: the
 * first block after each day. A lot is what was bought less what was sold of it: the part of a sale beyond the lot was received. What a
 * sale had cost is what it brought less its stored profit.
 */
export const buildHeldLots = ({
  wallet,
  starts,
}: {
  wallet: string
  starts: readonly number[]
}): RawBuilder<LotRow & { sent: number }> => sql<LotRow & { sent: number }>`
  with recent as materialized (
    select token_id, block_number, log_index,
      case when not trader_known then 0 when side = 'b' then token_amount else -token_amount end as amount,
      side = 'b' and recipient is not null as is_given, coalesce(value_native, quote_amount) as value,
      coalesce(realized_native, realized) as realized, value_usd, realized_usd, value_native = 0 and quote_amount > 0 as is_unknown
    from trades where trader = ${bytes(wallet)}
    order by block_number desc, log_index desc limit ${sql.lit(STATS_TRADES)}
  ), sent as materialized (
    select token_id, block_number, log_index, amount from transfers
    where token_id = any(array(select distinct token_id from recent)) and sender = ${bytes(wallet)} and recipient <> sender
    limit ${sql.lit(MAX_SENT + 1)}
  ), moves as (
    select recent.*, case when is_given then 0 else amount end as held, case when is_given then 1 else 0 end as gone from recent
    union all
    select token_id, block_number, log_index, 0, false, 0, null, null, null, false, -amount, 1 from sent
  ), summed as (
    select m.*, sum(amount) over moves_of_token as net from moves m
    window moves_of_token as (partition by token_id order by block_number, log_index)
  ), lots as (
    select s.*, net - least(0, min(net) over (moves_of_token)) as lot,
      net - amount - least(0, min(net) over (moves_of_token rows between unbounded preceding and 1 preceding)) as lot_before
    from summed s
    window moves_of_token as (partition by token_id order by block_number, log_index)
  ), costs as (
    select l.*, case
        when amount > 0 then value
        when lot < lot_before then realized - div(value * (lot_before - lot), -amount) end as cost,
      case
        when amount > 0 then value_usd
        when lot < lot_before then realized_usd - div(value_usd * 100000000 * (lot_before - lot), -amount) / 100000000 end as cost_usd,
      lot < lot_before and is_unknown as is_cost_unknown, lot < lot_before and value_usd is null as is_usd_unknown
    from lots l
  ), paths as (
    select token_id, block_number, log_index, lot, width_bucket(block_number, ${[...starts]}::bigint[]) as day,
      sum(held) over moves_of_token as held, sum(gone) over moves_of_token as gone,
      case when not bool_or(is_cost_unknown) over moves_of_token then coalesce(sum(cost) over moves_of_token, 0) end as cost_native,
      case when not bool_or(is_usd_unknown) over moves_of_token then coalesce(sum(cost_usd) over moves_of_token, 0) end as cost_usd
    from costs
    window moves_of_token as (partition by token_id order by block_number, log_index)
  ), ends as materialized (
    select distinct on (token_id, day) token_id, day, lot, held, gone, cost_native, cost_usd from paths
    order by token_id, day, block_number desc, log_index desc
  )
  select e.*, b.balance, (select count(*) from sent) as sent
  from ends e join balances b on b.token_id = e.token_id and b.wallet = ${bytes(wallet)}
  where b.token_id = any(array(
    select distinct token_id from ends where lot > 0 and day < ${starts.length} order by token_id limit ${sql.lit(MAX_TOKENS + 1)}
  ))
  order by e.token_id, e.day`

/** Daily closes from the last one before `first` to `last`, exported to test its plan. */
export function buildDailyCloses({
  tokenIds,
  first,
  last,
}: {
  tokenIds: readonly number[]
  first: number
  last: number
}): RawBuilder<CloseRow> {
  const daily = sql`from candles where token_id = f.token_id and resolution = ${sql.lit(DAY)}`
  return sql<CloseRow>`
    select f.token_id, c.bucket as day, c.close, c.close_native, c.close_usd, t.decimals, t.quote_token = ${sql.lit(NATIVE)} as is_native
    from token_figures f
    join tokens t on t.id = f.token_id
    cross join lateral (
      select bucket, close, close_native, close_usd ${daily} and bucket <= ${last} and bucket >= coalesce(
        (select bucket ${daily} and bucket < ${first} order by bucket desc limit 1), ${first})
    ) c
    where f.token_id = any(${[...tokenIds]}::integer[])
    order by f.token_id, c.bucket`
}
