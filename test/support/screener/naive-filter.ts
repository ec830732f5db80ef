import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/client.ts'
import type { Screener } from '../../../features/screener/screener.ts'
import { roundDown } from '../../../features/screener/usd-bounds.ts'
import { type RangeName, ranges, type TokenOrdering } from '../../../schemas/screener.ts'
import type { Random } from '../seeded-random.ts'

/*
 * What a filtered token list must return, by a statement that reads every token: figures from their tables, prices from the
 * candles, US dollars as records show them.
 */

/** A query of the token list, without its paging. */
export type Query = Record<string, string>

const priceAt = (seconds: number) => sql`coalesce(
  (select close from candles c where c.token_id = f.token_id and c.resolution = 60 and c.bucket <= s.clock_time - ${sql.lit(seconds)}
    order by bucket desc limit 1),
  t.initial_virtual_quote::double precision / nullif(t.initial_virtual_token, 0)::double precision)`
const change = (seconds: number) =>
  sql`round(((f.price / nullif(${priceAt(seconds)}, 0) - 1) * 100)::numeric, 6)::double precision`
// Not trunc of a quotient, whose last digits are rounded.
const share = (column: string) =>
  sql`div(${sql.ref(column)} * 100000000, nullif(t.total_supply, 0))::double precision / 1e6`
const usd = (amount: RawBuilder<unknown>) =>
  sql`div(${amount} * s.quote_usd * 100000000, 1e18::numeric)::double precision / 1e8`

const sumOf = (column: string, seconds: number) => sql`(select coalesce(sum(${sql.ref(column)}), 0) from candles c
  where c.token_id = f.token_id and c.resolution = 60 and c.bucket > s.clock_time - ${sql.lit(seconds)})::double precision`
const minute = sql`(e.block_time - e.block_time % 60)`
const tradesOf = (
  counted: RawBuilder<unknown>,
  seconds: number,
  condition = sql`true`,
) => sql`(select ${counted} from trades e
  where e.token_id = f.token_id and ${minute} > s.clock_time - ${sql.lit(seconds)} and ${condition})`
const sideOf = (side: 'b' | 's', seconds: number) => tradesOf(sql`count(*)`, seconds, sql`e.side = ${sql.lit(side)}`)
const makersOf = (seconds: number) => tradesOf(sql`count(distinct e.trader)`, seconds)
const ifPriced = (value: RawBuilder<unknown>) => sql`case when s.quote_usd is not null then ${value} end`

const liquidity = sql`(case when f.status <> 'graduated' or f.pool_quote is null then f.real_quote
  when t.venue = 'uniswap-v2' then f.pool_quote * 2 end)`

const values: Record<RangeName, RawBuilder<unknown>> = {
  age: sql`s.clock_time - t.block_time`,
  marketCapUsd: usd(sql`f.market_cap`),
  liquidityUsd: usd(liquidity),
  'volumeUsd.m5': ifPriced(sumOf('c.volume_usd', 300)),
  'volumeUsd.h1': ifPriced(sql`f.volume_usd_h1::double precision`),
  'volumeUsd.h6': ifPriced(sumOf('c.volume_usd', 21_600)),
  'volumeUsd.h24': ifPriced(sql`f.volume_usd_h24::double precision`),
  'trades.m5': sumOf('c.trades', 300),
  'trades.h6': sumOf('c.trades', 21_600),
  'trades.h1': sql`f.buys_h1 + f.sells_h1`,
  'trades.h24': sql`f.buys_h24 + f.sells_h24`,
  'buys.m5': sideOf('b', 300),
  'buys.h6': sideOf('b', 21_600),
  'buys.h1': sql`f.buys_h1`,
  'buys.h24': sql`f.buys_h24`,
  'sells.m5': sideOf('s', 300),
  'sells.h6': sideOf('s', 21_600),
  'sells.h1': sql`f.sells_h1`,
  'sells.h24': sql`f.sells_h24`,
  'makers.m5': makersOf(300),
  'makers.h1': makersOf(3_600),
  'makers.h6': makersOf(21_600),
  'makers.h24': sql`f.traders_h24`,
  'priceChangePct.m5': change(300),
  'priceChangePct.h1': change(3_600),
  'priceChangePct.h6': change(21_600),
  'priceChangePct.h24': change(86_400),
  progressPct: sql`f.progress::double precision`,
  holders: sql`f.holder_count`,
  top10Pct: share('f.top10_balance'),
  creatorHeldPct: share('f.creator_balance'),
  sniperPct: share('f.sniper_balance'),
  bundlerPct: share('f.bundler_balance'),
}

/** What each order is by, and what orders equal ones. */
const orders: Record<TokenOrdering['sort'], readonly [RawBuilder<unknown>, RawBuilder<unknown>?]> = {
  trending: [sql`f.trend`],
  newest: [sql`f.created_block`, sql`f.created_log`],
  mcap: [sql`f.market_cap`],
  volume: [sql`f.volume_h24::double precision`],
  curve: [sql`f.progress`],
  graduated: [sql`f.graduated_block`, sql`f.graduated_log`],
  liquidity: [liquidity],
  trades: [sql`f.buys_h24 + f.sells_h24`],
  holders: [sql`f.holder_count`],
  change: [change(86_400)],
}

function orderBy(sort: TokenOrdering['sort'], direction: RawBuilder<unknown>): RawBuilder<unknown> {
  const [value, tie] = orders[sort]
  return sql`${value} ${direction} nulls last, ${tie ? sql`${tie} ${direction}` : sql`t.id`}`
}

const tables = sql`token_figures f join tokens t on t.id = f.token_id left join token_metadata m on m.token_id = f.token_id
  cross join chain_state s`

const parameter = (bound: 'min' | 'max', name: string) => `${bound}${name[0]!.toUpperCase()}${name.slice(1)}`

/** The addresses of all tokens of a filtered list, in order. */
export async function filterNaively(
  db: Db,
  { sort = 'trending', direction = 'desc', ...query }: Query,
): Promise<string[]> {
  const conditions = [sql`not f.hidden`]
  if (sort === 'curve') conditions.push(sql`f.status <> 'graduated'`)
  if (sort === 'graduated') conditions.push(sql`f.status = 'graduated'`)
  for (const [name, value] of Object.entries(values)) {
    const [min, max] = [query[parameter('min', name)], query[parameter('max', name)]]
    if (min !== undefined) conditions.push(sql`${value} >= ${Number(min)}::double precision`)
    if (max !== undefined) conditions.push(sql`${value} <= ${Number(max)}::double precision`)
  }
  if (query.status) conditions.push(sql`f.status = any(string_to_array(${query.status}, ','))`)
  if (query.creator) conditions.push(sql`t.creator = ${query.creator.toLowerCase()}`)
  if (query.launchpad) conditions.push(sql`t.launchpad_kind = any(string_to_array(${query.launchpad}, ','))`)
  if (query.featured) conditions.push(sql`coalesce(m.featured, false) = ${query.featured === 'true'}`)
  if (query.hasLinks)
    conditions.push(
      sql`(coalesce(m.website, m.twitter, m.telegram, m.discord) is not null) = ${query.hasLinks === 'true'}`,
    )
  for (const word of query.exclude?.split(',') ?? []) {
    conditions.push(sql`position(lower(${word}) in lower(t.name)) = 0`)
    conditions.push(sql`position(lower(${word}) in lower(t.symbol)) = 0`)
  }
  const { rows } = await sql<{ address: string; id: number; liquidity: string | null }>`
    select t.address, t.id, ${liquidity} as liquidity from ${tables} where ${sql.join(conditions, sql` and `)}
    order by ${orderBy(sort as TokenOrdering['sort'], sql.raw(direction))}`.execute(db)
  if (sort === 'liquidity') {
    // Amounts that one float stands for are equal in memory.
    const sign = direction === 'asc' ? 1 : -1
    const keyOf = (amount: string | null) => (amount === null ? Infinity : sign * roundDown(BigInt(amount)))
    const compare = (a: number, b: number) => (a < b ? -1 : a > b ? 1 : 0)
    rows.sort((a, b) => compare(keyOf(a.liquidity), keyOf(b.liquidity)) || a.id - b.id)
  }
  return rows.map(({ address }) => address)
}

/** The value of a visible token in each range. */
export type Figures = { id: number } & Record<RangeName, number | null>

export async function readFigures(db: Db): Promise<Figures[]> {
  const columns = Object.entries(values).map(([name, value]) => sql`${value} as ${sql.id(name)}`)
  const { rows } = await sql<Figures>`
    select t.id, ${sql.join(columns)} from ${tables} where not f.hidden order by t.id`.execute(db)
  return rows
}

/** Values of the visible tokens by range, from which filters that some tokens match are drawn. */
export type Samples = ReadonlyMap<RangeName, readonly number[]>

export const toSamples = (figures: readonly Figures[]): Samples =>
  new Map(rangeNames.map((name) => [name, figures.flatMap((figure) => figure[name] ?? [])]))

/** Ranges and values for which the screener does not list the tokens that have them. */
export function findDifferences(screener: Screener, figures: readonly Figures[]): string[] {
  return rangeNames.flatMap((name) => {
    const present = [...new Set(figures.flatMap((figure) => figure[name] ?? []))]
    return present.flatMap((value) => {
      const filter = { ranges: [{ name, min: value, max: value }] }
      const { places } = screener.list({
        filter,
        order: { sort: 'mcap', direction: 'desc' },
        limit: figures.length + 100,
        offset: 0,
        after: null,
      })
      const [found, expected] = [
        places.map(({ id }) => id).sort((a, b) => a - b),
        figures.filter((figure) => figure[name] === value).map(({ id }) => id),
      ].map((ids) => ids.join())
      return found === expected ? [] : [`${name} ${value}: listed ${found}, expected ${expected}`]
    })
  })
}

const rangeNames = Object.keys(values) as RangeName[]
const SORTS = Object.keys(orders)
const STATUSES = [
  'curve',
  'completed',
  'graduated',
  'curve,completed',
  'completed,graduated',
  'curve,completed,graduated',
]

const LAUNCHPADS = ['slipway', 'nad-fun', 'slipway,nad-fun', 'unknown']

const WORDS = ['1', 'TOKEN 11,t3', 't2', 'ö,5,%', 't1,t2,t3,0,9', 'ken 10', '7t']

/** A random filter with an order. Bounds are values that tokens have, so that both ends are met. */
export function makeQuery(random: Random, samples: Samples, creators: readonly string[]): Query {
  const query: Query = { sort: SORTS[random(SORTS.length)]!, ...(random(3) === 0 && { direction: 'asc' }) }
  const names = [...samples.keys()]
  for (let left = 1 + random(4); left > 0; left--) {
    const name = names[random(names.length)]!
    const { minimum, maximum } = ranges[name]
    const known = (samples.get(name) ?? []).filter((value) => value >= minimum && value <= maximum)
    if (
      known.length === 0 ||
      query[parameter('min', name)] !== undefined ||
      query[parameter('max', name)] !== undefined
    )
      continue
    const [a, b] = [known[random(known.length)]!, known[random(known.length)]!]
    const kind = random(4)
    if (kind !== 0) query[parameter('min', name)] = String(Math.min(a, b))
    if (kind !== 1) query[parameter('max', name)] = String(Math.max(a, b))
  }
  if (random(4) === 0) query.status = STATUSES[random(STATUSES.length)]!
  if (random(6) === 0) query.hasLinks = String(random(2) === 0)
  if (random(8) === 0) query.featured = String(random(2) === 0)
  if (random(6) === 0) query.launchpad = LAUNCHPADS[random(LAUNCHPADS.length)]!
  if (random(5) === 0) query.exclude = WORDS[random(WORDS.length)]!
  if (random(6) === 0) query.creator = creators[random(creators.length)]!
  return query
}
