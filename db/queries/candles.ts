import { type Kysely, type RawBuilder, sql } from 'kysely'
import { AppError } from '../../errors.ts'
import { NATIVE } from '../addresses.ts'
import { prepared } from '../postgres/prepared.ts'
import type { Database } from '../schema.ts'
import { type CandleGap, candleGaps } from './archives.ts'
import { joinChainState } from './chain-state.ts'
import { type QuoteAssetRow, quoteOf } from './quote-assets.ts'
import { launchPrice, launchPriceNative } from './tokens.ts'

/** Prices of a bucket with trades: in the quote asset and, where its value was known, in US dollars and native coin. */
export interface CandleRow {
  bucket: number
  open: number
  high: number
  low: number
  close: number
  open_usd: number | null
  high_usd: number | null
  low_usd: number | null
  close_usd: number | null
  volume: string
  volume_usd: string
  trades: number
  /** These are null where the quote asset is the native coin. */
  open_native: number | null
  high_native: number | null
  low_native: number | null
  close_native: number | null
  volume_native: string | null
}

/** The start of a token's chart, and its current end. */
export interface ChartBounds {
  /** The number of the launch. */
  id: number
  /** Unix seconds of the launch, with the launch price. */
  launched_at: number
  /** In whole units of the quote asset. */
  launch_price: number
  launch_price_native: number | null
  launch_price_usd: number | null
  /** Whole tokens. */
  supply: number
  /** Unix seconds up to which the chain has been read. */
  clock: number
  gaps: CandleGap[]
  /** null: the native coin. */
  quote: QuoteAssetRow | null
}

/** Up to when the chain has been read, for a chart of tokens as t. Needs chain_state as s. */
export const chartEnd = sql`greatest(t.block_time, f.last_trade_at, s.checkpoint_time)`

const columns = sql`bucket, open, high, low, close, open_usd, high_usd, low_usd, close_usd, volume, volume_usd, trades, open_native,
  high_native, low_native, close_native, volume_native`

/** Throws TOKEN_NOT_FOUND. */
export async function getChartBounds(db: Kysely<Database>, token: string): Promise<ChartBounds> {
  const { rows } = await prepared(sql<ChartBounds>`
    select t.id, t.block_time as launched_at, ${launchPrice} as launch_price,
      ${launchPriceNative} as launch_price_native, ${launchPriceNative} * b.quote_usd::double precision as launch_price_usd,
      (t.total_supply / power(10::numeric, t.decimals))::double precision as supply, ${chartEnd} as clock, ${candleGaps} as gaps,
      ${quoteOf('t.quote_token')} as quote
    from tokens t
    join token_figures f on f.token_id = t.id
    left join blocks b on b.number = t.block_number
    ${joinChainState}
    where t.address = ${token}`).execute(db)
  const [bounds] = rows
  if (!bounds) throw new AppError('TOKEN_NOT_FOUND', { address: token })
  return bounds
}

/**
 * Candles with a bucket in from..to (inclusive), ascending, after the last one before `from`, whose close is the price
 * at `from`.
 */
export async function listCandles(db: Kysely<Database>, args: CandlesArgs): Promise<CandleRow[]> {
  const { rows } = await prepared(buildCandles(args)).execute(db)
  return rows
}

interface CandlesArgs {
  tokenId: number
  resolution: number
  from: number
  to: number
}

/** The statement of listCandles, exported to test its plan. */
export const buildCandles = ({ tokenId, resolution, from, to }: CandlesArgs): RawBuilder<CandleRow> => sql<CandleRow>`
    select ${columns}
    from candles
    where token_id = ${tokenId} and resolution = ${resolution} and bucket <= ${to}
      and bucket >= coalesce(
        (select bucket from candles
          where token_id = ${tokenId} and resolution = ${resolution} and bucket < ${from} order by bucket desc limit 1),
        ${from})
    order by bucket`

const closes = { quote: 'close', native: 'close_native', usd: 'close_usd' } as const

/**
 * The last step before `before` (unix seconds) at which a token may have had a price in a currency: the close of a candle holds until the
 * next one, and the launch price, if that was known, until the first.
 */
export async function findLastPriced(
  db: Kysely<Database>,
  args: { tokenId: number; resolution: number; before: number; currency: keyof typeof closes },
): Promise<number> {
  const { tokenId, resolution, before, currency } = args
  const own = sql`from candles where token_id = ${tokenId} and resolution = ${resolution} and bucket < ${before}`
  const { rows } = await sql<{ time: number | null }>`
    select min(bucket) as time ${own} and bucket > coalesce((
      select bucket ${own} and ${sql.ref(closes[currency])} is not null order by bucket desc limit 1), -1)`.execute(db)
  return (rows[0]?.time ?? before) - resolution
}

/**
 * Candles of a length below a minute, computed from trades and changes of the pool. As listCandles; `from` is the start of a
 * minute.
 */
export async function listSecondCandles(db: Kysely<Database>, args: CandlesArgs): Promise<CandleRow[]> {
  const { rows } = await buildSecondCandles(args).execute(db)
  return rows
}

/** Null where the quote asset is the native coin. */
const priceNative = sql`price * (rate_native::double precision / 1e36) as price_native`

/** The statement of listSecondCandles, exported to test its plan. */
export function buildSecondCandles({ tokenId, resolution, from, to }: CandlesArgs): RawBuilder<CandleRow> {
  const since = sql`block_number >= (select number from blocks where time >= ${from} order by time, number limit 1)`
  const first = (price: string) =>
    sql`(array_agg(${sql.ref(price)} order by block_number, log_index) filter (where ${sql.ref(price)} is not null))[1]`
  const last = (price: string) =>
    sql`(array_agg(${sql.ref(price)} order by block_number desc, log_index desc) filter (where ${sql.ref(price)} is not null))[1]`
  return sql<CandleRow>`
    (select ${columns}
    from candles where token_id = ${tokenId} and resolution = 60 and bucket < ${from} order by bucket desc limit 1)
    union all
    (select time - time % ${resolution}::bigint as bucket, ${first('price')}, max(price), min(price), ${last('price')},
      ${first('price_usd')}, max(price_usd), min(price_usd), ${last('price_usd')},
      coalesce(sum(quote_amount), 0), coalesce(sum(value_usd), 0), count(quote_amount),
      ${first('price_native')}, max(price_native), min(price_native), ${last('price_native')}, sum(value_native)
    from (
      select block_number, log_index, block_time as time, price, price_usd, quote_amount, value_usd, ${priceNative}, value_native
      from trades where token_id = ${tokenId} and ${since} and block_time <= ${to}::bigint + ${resolution}::bigint - 1
      union all
      select s.block_number, s.log_index, b.time, s.price, s.price_usd, null, null, ${priceNative}, null
      from (select * from pool_states where token_id = ${tokenId} and price is not null and ${since}) s
      join blocks b on b.number = s.block_number and b.time <= ${to}::bigint + ${resolution}::bigint - 1
    ) e
    group by 1 order by 1)`
}

/** The input of a chart's last candle, in native coin. */
export interface ChartEnd {
  token: string
  /** Seconds. */
  resolution: number
  launch_price: number | null
  /** Whether the quote asset is not the native coin. */
  is_quoted: boolean
  /** Unix seconds up to which the chain has been read. */
  clock: number
  /** The last two candles with trades, ascending. */
  candles: CandleRow[]
}

type StoredEnd = Omit<ChartEnd, 'candles'> & Partial<CandleRow> & { block_number: number; log_index: number }

/** The chart ends of these tokens in these resolutions. A token without a known launch has none. */
export async function listChartEnds(
  db: Kysely<Database>,
  { tokens, resolutions }: { tokens: readonly string[]; resolutions: readonly number[] },
): Promise<ChartEnd[]> {
  if (resolutions.length === 0) return []
  // Each resolution by itself, and without a column of tokens or chain_state, as Citus needs it.
  const ends = resolutions.map(
    (resolution) => sql`
      select t.address as token, ${resolution}::integer as resolution, ${launchPriceNative} as launch_price,
        t.quote_token <> ${sql.lit(NATIVE)} as is_quoted, ${chartEnd} as clock,
        t.block_number, t.log_index, c.*
      from token_figures f
      join tokens t on t.id = f.token_id
      ${joinChainState}
      left join lateral (
        select ${columns}
        from candles where token_id = f.token_id and resolution = ${resolution}::integer
          and bucket <= greatest(f.last_trade_at, (select checkpoint_time from chain_state limit 1))
        order by bucket desc limit 2
      ) c on true
      where f.token_id = any(array(select id from tokens where address = any(${tokens}::text[])))`,
  )
  const { rows } = await sql<StoredEnd>`
    select * from (${sql.join(ends, sql` union all `)}) e order by block_number, log_index, resolution, bucket`.execute(
    db,
  )
  const byKey = new Map<string, ChartEnd>()
  for (const row of rows) {
    const { token, resolution, launch_price, is_quoted, clock, block_number: _block, log_index: _log, ...candle } = row
    const key = `${token}/${resolution}`
    const end = byKey.get(key) ?? { token, resolution, launch_price, is_quoted, clock, candles: [] }
    byKey.set(key, end)
    if (candle.bucket != null) end.candles.push(candle as CandleRow)
  }
  return [...byKey.values()]
}
