import { type Kysely, type RawBuilder, sql } from 'kysely'
import { NATIVE } from '../addresses.ts'
import { prepared } from '../postgres/prepared.ts'
import type { Database } from '../schema.ts'
import { joinChainState } from './chain-state.ts'
import { inNative } from './quote-assets.ts'
import { clockInside, isUnchanged, LONGEST, lastClose, launchPrice } from './tokens.ts'

/** Seconds of the windows that can be filtered by. */
const WINDOWS = { m5: 300, h1: 3_600, h6: 21_600, h24: LONGEST } as const

/** Those of them whose trades and volume are added up here, by whole minutes: token_figures has the others. */
const SUMMED = ['m5', 'h6'] as const

/** The longest window of joinMakers. */
const MADE = WINDOWS.h6

/** Blocks before it are older than that window. A subquery, as clockInside. */
const firstMade = sql`(select coalesce(min(b.number), 0) from blocks b where b.time > ${clockInside} - ${sql.lit(MADE)})`

/**
 * Wallets, purchases and sales in windows that no table has sums of, from the trades of their whole minutes: a wallet counts once,
 * so counts of minutes cannot be added up. Reads nothing of a token without trades in the longest. Grouped by the token, for Citus.
 */
const joinMakers = sql`left join lateral (
    select w.token_id, count(*) as makers_h6, count(*) filter (where w.age < ${sql.lit(WINDOWS.h1)}) as makers_h1,
      count(*) filter (where w.age < ${sql.lit(WINDOWS.m5)}) as makers_m5,
      ${sql.join(['buys_m5', 'sells_m5', 'buys_h6', 'sells_h6'].map((name) => sql`sum(w.${sql.ref(name)})::bigint as ${sql.ref(name)}`))}
    from (
      select e.token_id, e.trader, min(e.age) as age,
        count(*) filter (where e.side = 'b' and e.age < ${sql.lit(WINDOWS.m5)}) as buys_m5,
        count(*) filter (where e.side = 's' and e.age < ${sql.lit(WINDOWS.m5)}) as sells_m5,
        count(*) filter (where e.side = 'b') as buys_h6, count(*) filter (where e.side = 's') as sells_h6
      from (
        select d.token_id, d.trader, d.side, ${clockInside} - (d.block_time - d.block_time % 60) as age from trades d
        where d.token_id = f.token_id and d.block_number >= ${firstMade}
          and f.last_trade_at > ${clockInside} - ${sql.lit(MADE)}
      ) e
      where e.age < ${sql.lit(MADE)} group by e.token_id, e.trader
    ) w group by w.token_id
  ) made on true`

const counted = ['buys_m5', 'sells_m5', 'buys_h6', 'sells_h6', 'makers_m5', 'makers_h1', 'makers_h6'].map(
  (name) => sql`coalesce(made.${sql.ref(name)}, 0) as ${sql.ref(name)}`,
)

/** What the token list can be filtered and sorted by. Amounts are in base units of the native coin, times in unix seconds. */
export interface ScreenedToken {
  id: number
  creator: string
  name: string
  symbol: string
  launchpad_kind: string
  /** Number of the quote asset: see ScreenerState. */
  quote_id: number
  hidden: boolean
  featured: boolean
  has_links: boolean
  status: 'curve' | 'completed' | 'graduated'
  created_at: number
  created_block: number
  created_log: number
  graduated_block: number | null
  graduated_log: number | null
  trend: number
  progress: number
  market_cap: string
  /** null if the pool's logs do not contain it. */
  liquidity: string | null
  volume_h24: number
  /** In US dollars, as of the trades. */
  volume_usd_m5: number
  volume_usd_h1: number
  volume_usd_h6: number
  volume_usd_h24: number
  trades_m5: number
  trades_h6: number
  buys_m5: number
  sells_m5: number
  buys_h6: number
  sells_h6: number
  makers_m5: number
  makers_h1: number
  makers_h6: number
  buys_h1: number
  sells_h1: number
  buys_h24: number
  sells_h24: number
  traders_h24: number
  holder_count: number
  /** Shares of the supply in percent, six decimals; null without a supply. */
  top10_pct: number | null
  creator_pct: number | null
  sniper_pct: number | null
  bundler_pct: number | null
  price: number
  price_m5: number | null
  price_h1: number | null
  price_h6: number | null
  price_h24: number | null
  /** The prices at the start of the windows, and what is counted by minutes, hold while since <= clock < until; null: without an end. */
  since: number | null
  until: number | null
}

type Window = keyof typeof WINDOWS
const windows = Object.entries(WINDOWS) as [Window, number][]

/** Rows of these tokens, in the order of their numbers. `ids` is a query. */
const selectScreened = (ids: RawBuilder<unknown>) => {
  const hasMoved = sql`not ${isUnchanged(LONGEST, clockInside)}`
  const floats = sql.join(
    ['progress', 'volume_h24', 'volume_usd_h1', 'volume_usd_h24'].map(
      (name) => sql`f.${sql.ref(name)}::double precision as ${sql.ref(name)}`,
    ),
  )
  const prices = windows.map(
    ([name, seconds]) =>
      sql`case when ${isUnchanged(seconds)} then f.price else coalesce(${sql.ref(`${name}.close`)}, ${launchPrice}) end
        as ${sql.ref(`price_${name}`)}`,
  )
  const earlier = windows.map(
    ([name, seconds]) =>
      sql`left join lateral (${lastClose(sql`c.bucket, c.close`, seconds, hasMoved)}) ${sql.ref(name)} on true`,
  )
  const starts = windows.map(([name, seconds]) => sql`${sql.ref(`${name}.bucket`)} + ${sql.lit(seconds)}`)
  // A minute takes effect when the start of the window reaches it.
  const ends = windows.map(
    ([, seconds]) => sql`(select c.bucket from candles c
      where c.token_id = f.token_id and c.resolution = 60 and c.bucket > ${clockInside} - ${sql.lit(seconds)} and ${hasMoved}
      order by c.bucket limit 1) + ${sql.lit(seconds)}`,
  )
  const sums = SUMMED.map(
    (name) => sql`left join lateral (
      select coalesce(sum(c.trades), 0)::bigint as trades, coalesce(sum(c.volume_usd), 0)::double precision as volume_usd from candles c
      where c.token_id = f.token_id and c.resolution = 60 and c.bucket > ${clockInside} - ${sql.lit(WINDOWS[name])} and ${hasMoved}
    ) ${sql.ref(`sum_${name}`)} on true`,
  )
  const summed = SUMMED.map(
    (name) => sql`${sql.ref(`sum_${name}.trades`)} as ${sql.ref(`trades_${name}`)},
      ${sql.ref(`sum_${name}.volume_usd`)} as ${sql.ref(`volume_usd_${name}`)}`,
  )
  const share = (column: string) =>
    sql`div(${sql.ref(`f.${column}`)} * 100000000, nullif(t.total_supply, 0))::double precision / 1000000`
  return sql<ScreenedToken>`
    select f.token_id as id, t.creator, t.name, t.symbol, t.launchpad_kind, case when t.quote_token = ${sql.lit(NATIVE)} then 0 else (
        select a.id from quotes a where a.address = t.quote_token) end as quote_id, f.hidden, coalesce(m.featured, false) as featured,
      num_nonnulls(m.website, m.twitter, m.telegram, m.discord) > 0 as has_links, f.status, t.block_time as created_at,
      f.created_block, f.created_log, f.graduated_block, f.graduated_log, f.trend, f.market_cap, ${floats},
      ${inNative(sql`(case when f.status <> 'graduated' or f.pool_quote is null or f.pool_token is null then f.real_quote
        when t.venue = 'uniswap-v2' then 2 * f.pool_quote end)`)} as liquidity,
      f.buys_h1, f.sells_h1, f.buys_h24, f.sells_h24, f.traders_h24, f.holder_count,
      ${share('top10_balance')} as top10_pct, ${share('creator_balance')} as creator_pct,
      ${share('sniper_balance')} as sniper_pct, ${share('bundler_balance')} as bundler_pct,
      ${sql.join([...summed, ...counted])}, f.price, ${sql.join(prices)},
      case when ${isUnchanged(LONGEST)} then f.last_trade_at + ${sql.lit(LONGEST)} else greatest(${sql.join(starts)}) end as since,
      least(${sql.join(ends)}) as until
    from token_figures f
    join tokens t on t.id = f.token_id
    left join token_metadata m on m.token_id = f.token_id
    ${joinChainState}
    ${sql.join([...earlier, ...sums, joinMakers], sql` `)}
    where f.token_id = any(array(${ids}))
    order by f.token_id`
}

/** The tokens with these numbers, as far as they are launched. */
export async function findScreened(db: Kysely<Database>, ids: readonly number[]): Promise<ScreenedToken[]> {
  const { rows } = await prepared(selectScreened(sql`select unnest(${[...ids]}::integer[])`)).execute(db)
  return rows
}

/** A number of tokens after a number, in their order. */
export async function listScreened(
  db: Kysely<Database>,
  { after, limit }: { after: number; limit: number },
): Promise<ScreenedToken[]> {
  const { rows } = await buildScreened({ after, limit }).execute(db)
  return rows
}

/** The statement of listScreened, exported to test its plan. */
export const buildScreened = ({ after, limit }: { after: number; limit: number }): RawBuilder<ScreenedToken> =>
  selectScreened(sql`select token_id from token_figures where token_id > ${after} order by token_id limit ${limit}`)

/** The numbers of these launched tokens. */
export async function findTokenNumbers(db: Kysely<Database>, addresses: readonly string[]): Promise<number[]> {
  if (addresses.length === 0) return []
  const rows = await db
    .selectFrom('tokens')
    .select('id')
    .where('address', 'in', [...addresses])
    .execute()
  return rows.map(({ id }) => id)
}

/** At what time and price the figures are compared: the chain's clock in unix seconds, and US dollars for the native coin. */
export interface ScreenerState {
  clock: number
  nativeUsd: string | null
  /** Numbers of the quote assets, by address; 0 is the native coin. */
  quotes: Readonly<Record<string, number>>
}

/** Before the first block, the clock is 0. */
export async function readScreenerState(db: Kysely<Database>): Promise<ScreenerState> {
  const { rows } = await sql<ScreenerState>`
    select clock_time as clock, quote_usd as "nativeUsd",
      (select coalesce(jsonb_object_agg(address, id), '{}') from quotes) as quotes
    from chain_state`.execute(db)
  return rows[0] ?? { clock: 0, nativeUsd: null, quotes: {} }
}
