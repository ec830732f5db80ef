import { sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import { parseUsd } from '../../chain/amounts.ts'
import { type BulkTarget, saveRows, toArray } from '../../db/bulk.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import type { Database } from '../../db/schema.ts'
import { getTokenIds, type TokenIds } from '../../db/token-ids.ts'
import { getOrCreate } from '../../lib/collections/get-or-create.ts'
import { type EventContext, isAfter } from '../engine/batch.ts'
import type { ChainEvent, PoolState, Trade } from './events.ts'

/** Lengths of the candles in seconds: 1m 5m 15m 30m 1h 4h 1d. */
export const RESOLUTIONS = [60, 300, 900, 1_800, 3_600, 14_400, 86_400] as const
const FINEST = RESOLUTIONS[0]

/** Prices in one currency; null without a known price. */
interface Prices {
  open: number | null
  high: number | null
  low: number | null
  close: number | null
}

export interface Candle {
  token: string
  resolution: number
  /** Unix seconds of its start. */
  bucket: number
  /** In the quote asset. */
  quote: Prices
  usd: Prices
  /** null: the quote asset is the native coin. */
  native: Prices | null
  volume: bigint
  /** 0 where the quote asset is the native coin. */
  volumeNative: bigint
  volumeUsd: bigint
  trades: number
  /** Positions of the events that set open and close. */
  opened: LogPosition
  closed: LogPosition
}

const targetOf = (ids: ReadonlyMap<string, TokenIds>): BulkTarget<Candle> & { key: string[] } => ({
  table: 'candles',
  key: ['token_id', 'resolution', 'bucket'],
  columns: [
    { name: 'token_id', type: 'integer', value: (candle) => getTokenIds(ids, candle.token).id },
    { name: 'resolution', type: 'integer', value: (candle) => candle.resolution },
    { name: 'bucket', type: 'bigint', value: (candle) => candle.bucket },
    { name: 'open', type: 'float8', value: (candle) => candle.quote.open },
    { name: 'high', type: 'float8', value: (candle) => candle.quote.high },
    { name: 'low', type: 'float8', value: (candle) => candle.quote.low },
    { name: 'close', type: 'float8', value: (candle) => candle.quote.close },
    { name: 'open_usd', type: 'float8', value: (candle) => candle.usd.open },
    { name: 'high_usd', type: 'float8', value: (candle) => candle.usd.high },
    { name: 'low_usd', type: 'float8', value: (candle) => candle.usd.low },
    { name: 'close_usd', type: 'float8', value: (candle) => candle.usd.close },
    { name: 'volume', type: 'numeric', value: (candle) => candle.volume },
    { name: 'volume_usd', type: 'numeric8', value: (candle) => candle.volumeUsd },
    { name: 'trades', type: 'integer', value: (candle) => candle.trades },
    { name: 'open_block', type: 'bigint', value: (candle) => candle.opened.blockNumber },
    { name: 'open_log', type: 'integer', value: (candle) => candle.opened.logIndex },
    { name: 'close_block', type: 'bigint', value: (candle) => candle.closed.blockNumber },
    { name: 'close_log', type: 'integer', value: (candle) => candle.closed.logIndex },
    { name: 'open_native', type: 'float8', value: ({ native }) => native?.open ?? null },
    { name: 'high_native', type: 'float8', value: ({ native }) => native?.high ?? null },
    { name: 'low_native', type: 'float8', value: ({ native }) => native?.low ?? null },
    { name: 'close_native', type: 'float8', value: ({ native }) => native?.close ?? null },
    { name: 'volume_native', type: 'numeric', value: ({ native, volumeNative }) => (native ? volumeNative : null) },
  ],
})

/** Candles of the finest resolution, by token and by the start of each in unix seconds. */
export class FinestCandles {
  #size = 0
  readonly #tokens = new Map<string, Map<number, Candle>>()

  get size(): number {
    return this.#size
  }

  /** Merges events. A pool's price without a trade changes open, high, low and close, and no volume. */
  add(events: readonly ChainEvent[]): void {
    for (const event of events) if (isPriced(event)) this.#addPrice(event)
  }

  values(): Candle[] {
    return [...this.#tokens.values()].flatMap((candles) => [...candles.values()])
  }

  #addPrice(priced: Priced): void {
    const { at, token } = priced
    const bucket = at.time - (at.time % FINEST)
    const candles = getOrCreate(this.#tokens, token, makeMap)
    let candle = candles.get(bucket)
    if (candle === undefined) {
      candle = makeCandle(bucket, priced)
      candles.set(bucket, candle)
      this.#size += 1
    } else addPrice(candle, priced)
    if (priced.kind !== 'trade') return
    candle.volume += priced.quoteAmount
    if (!priced.isNative && priced.valueNative !== null) candle.volumeNative += priced.valueNative
    if (priced.valueUsd !== null) candle.volumeUsd += priced.valueUsd
    candle.trades += 1
  }
}

/** Candles in every resolution, each merged from the next finer one. */
export function mergeResolutions(finest: FinestCandles): Candle[] {
  let finer = finest.values()
  let all = finer
  for (const resolution of RESOLUTIONS.slice(1)) {
    const coarser = new Map<string, Candle>()
    for (const candle of finer) {
      const bucket = candle.bucket - (candle.bucket % resolution)
      const { quote, usd, native } = candle
      const prices = { quote: { ...quote }, usd: { ...usd }, native: native && { ...native } }
      mergeInto(coarser, { ...candle, resolution, bucket, ...prices })
    }
    finer = [...coarser.values()]
    all = all.concat(finer)
  }
  return all
}

export type Priced = { at: EventContext; price: number } & (Trade | PoolState)

/** Whether the event sets the token's price. */
export const isPriced = (event: ChainEvent): event is ChainEvent & Priced =>
  event.kind === 'trade' || (event.kind === 'pool-state' && event.price !== null)

const makeMap = () => new Map<number, Candle>()

/** A candle without volume. */
function makeCandle(
  bucket: number,
  { at, token, price, priceUsd: usd, priceNative: native, isNative }: Priced,
): Candle {
  return {
    token,
    resolution: FINEST,
    bucket,
    quote: { open: price, high: price, low: price, close: price },
    usd: { open: usd, high: usd, low: usd, close: usd },
    native: isNative ? null : { open: native, high: native, low: native, close: native },
    volume: 0n,
    volumeNative: 0n,
    volumeUsd: 0n,
    trades: 0,
    opened: at,
    closed: at,
  }
}

/** Adds the price of a later event to a candle, without making one of it: nearly every trade adds to a candle that exists. */
function addPrice(candle: Candle, { at, price, priceUsd, priceNative }: Priced): void {
  addToPrices(candle.quote, price)
  addToPrices(candle.usd, priceUsd)
  if (candle.native !== null) addToPrices(candle.native, priceNative)
  candle.closed = at
}

function addToPrices(to: Prices, price: number | null): void {
  to.close = price
  if (price === null) return
  if (to.high === null || price > to.high) to.high = price
  if (to.low === null || price < to.low) to.low = price
}

function mergeInto(candles: Map<string, Candle>, candle: Candle): void {
  const merged = getOrCreate(candles, keyOf(candle), () => candle)
  if (merged !== candle) mergeCandle(merged, candle)
}

/** Merges b into a; they may overlap in time, in either order. */
function mergeCandle(a: Candle, b: Candle): void {
  const opensEarlier = isAfter(a.opened, b.opened)
  const closesLater = isAfter(b.closed, a.closed)
  for (const currency of ['quote', 'usd', 'native'] as const) {
    const [to, from] = [a[currency], b[currency]]
    if (to === null || from === null) continue
    if (opensEarlier) to.open = from.open
    if (closesLater) to.close = from.close
    to.high = pick(Math.max, to.high, from.high)
    to.low = pick(Math.min, to.low, from.low)
  }
  if (opensEarlier) a.opened = b.opened
  if (closesLater) a.closed = b.closed
  a.volume += b.volume
  a.volumeNative += b.volumeNative
  a.volumeUsd += b.volumeUsd
  a.trades += b.trades
}

function pick(choose: (a: number, b: number) => number, a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : choose(a, b)
}

function keyOf(candle: Pick<Candle, 'token' | 'resolution' | 'bucket'>): string {
  return `${candle.token}${candle.resolution}/${candle.bucket}`
}

/** Merges the stored candles into those of a batch, and writes them. ids: of their tokens. */
export async function saveCandles(
  trx: Transaction<Database>,
  candles: readonly Candle[],
  stored: readonly Candle[],
  ids: ReadonlyMap<string, TokenIds>,
): Promise<void> {
  const merged = new Map(candles.map((candle) => [keyOf(candle), candle]))
  const known = new Set<Candle>()
  for (const earlier of stored) {
    const candle = merged.get(keyOf(earlier))
    if (!candle) continue
    mergeCandle(candle, earlier)
    known.add(candle)
  }
  await saveRows(trx, targetOf(ids), [...merged.values()], (candle) => !known.has(candle))
}

interface StoredCandle {
  token_id: number
  resolution: number
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
  open_block: number
  open_log: number
  close_block: number
  close_log: number
  open_native: number | null
  high_native: number | null
  low_native: number | null
  close_native: number | null
  /** null: the quote asset is the native coin. */
  volume_native: string | null
}

/** The stored candles of the same tokens, resolutions and times. */
export async function loadCandles(
  trx: Transaction<Database>,
  candles: readonly Candle[],
  ids: ReadonlyMap<string, TokenIds>,
): Promise<Candle[]> {
  if (candles.length === 0) return []
  const addresses = new Map([...ids].map(([address, { id }]) => [id, address]))
  const tokens = toArray({ type: 'integer', value: ({ token }: Candle) => getTokenIds(ids, token).id }, candles)
  const resolutions = toArray({ type: 'integer', value: (candle: Candle) => candle.resolution }, candles)
  const buckets = toArray({ type: 'bigint', value: (candle: Candle) => candle.bucket }, candles)
  const { rows } = await sql<StoredCandle>`
    select c.* from unnest(${tokens}::integer[], ${resolutions}::integer[], ${buckets}::bigint[])
      as k (token_id, resolution, bucket)
    join candles c on c.token_id = k.token_id and c.resolution = k.resolution and c.bucket = k.bucket`.execute(trx)
  return rows.map((row) => ({
    token: addresses.get(row.token_id)!,
    resolution: row.resolution,
    bucket: row.bucket,
    quote: { open: row.open, high: row.high, low: row.low, close: row.close },
    usd: { open: row.open_usd, high: row.high_usd, low: row.low_usd, close: row.close_usd },
    native:
      row.volume_native === null
        ? null
        : { open: row.open_native, high: row.high_native, low: row.low_native, close: row.close_native },
    volume: BigInt(row.volume),
    volumeNative: BigInt(row.volume_native ?? 0),
    volumeUsd: parseUsd(row.volume_usd),
    trades: row.trades,
    opened: { blockNumber: row.open_block, logIndex: row.open_log },
    closed: { blockNumber: row.close_block, logIndex: row.close_log },
  }))
}

/** The price in native coin of trades and states of pools; null where the quote asset is the native coin. */
const priceNative = sql`price * (rate_native::double precision / 1e36) as price_native`

/**
 * Rebuilds the candles since a time: the finest from the remaining trades and pool states, each coarser one from the
 * finest, so that a day costs at most 1,440 rows. ids: numbers of the tokens.
 */
export async function rebuildCandles(trx: Transaction<Database>, ids: readonly number[], since: number): Promise<void> {
  if (ids.length === 0) return
  const columns = sql`token_id, resolution, bucket, open, high, low, close, open_usd, high_usd, low_usd, close_usd, volume,
    volume_usd, trades, open_block, open_log, close_block, close_log, open_native, high_native, low_native, close_native,
    volume_native`
  for (const resolution of RESOLUTIONS) {
    const start = since - (since % resolution)
    await sql`delete from candles where token_id = any(${ids}::integer[]) and resolution = ${resolution}
      and bucket >= ${start}`.execute(trx)
    await (resolution === FINEST
      ? sql`insert into candles (${columns})
          select token_id, ${FINEST}::integer, block_time - block_time % ${FINEST}::integer,
            (array_agg(price order by block_number, log_index))[1], max(price), min(price),
            (array_agg(price order by block_number desc, log_index desc))[1],
            (array_agg(price_usd order by block_number, log_index))[1], max(price_usd), min(price_usd),
            (array_agg(price_usd order by block_number desc, log_index desc))[1],
            sum(quote_amount), coalesce(sum(value_usd), 0), sum(trades),
            (array_agg(block_number order by block_number, log_index))[1],
            (array_agg(log_index order by block_number, log_index))[1],
            (array_agg(block_number order by block_number desc, log_index desc))[1],
            (array_agg(log_index order by block_number desc, log_index desc))[1],
            (array_agg(price_native order by block_number, log_index))[1], max(price_native), min(price_native),
            (array_agg(price_native order by block_number desc, log_index desc))[1],
            sum(value_native)
          from (
            select token_id, block_number, log_index, block_time, price, price_usd, quote_amount, value_usd, 1 as trades,
              ${priceNative}, value_native
            from trades where token_id = any(${ids}::integer[])
              and block_number >= (select min(number) from blocks where time >= ${start}) and block_time >= ${start}
            union all
            select s.token_id, s.block_number, s.log_index, b.time, s.price, s.price_usd, 0, null, 0, s.price * (s.rate_native::double precision / 1e36),
              case when t.quote_token <> ${zeroAddress} then 0 end
            from pool_states s join blocks b on b.number = s.block_number join tokens t on t.id = s.token_id
            where s.token_id = any(${ids}::integer[]) and s.price is not null
              and s.block_number >= (select min(number) from blocks where time >= ${start}) and b.time >= ${start}
          ) priced
          group by 1, 3`
      : sql`insert into candles (${columns})
          select token_id, ${resolution}::integer, bucket - bucket % ${resolution}::integer,
            (array_agg(open order by bucket))[1], max(high), min(low), (array_agg(close order by bucket desc))[1],
            (array_agg(open_usd order by bucket))[1], max(high_usd), min(low_usd),
            (array_agg(close_usd order by bucket desc))[1],
            sum(volume), sum(volume_usd), sum(trades),
            (array_agg(open_block order by bucket))[1], (array_agg(open_log order by bucket))[1],
            (array_agg(close_block order by bucket desc))[1], (array_agg(close_log order by bucket desc))[1],
            (array_agg(open_native order by bucket))[1], max(high_native), min(low_native),
            (array_agg(close_native order by bucket desc))[1], sum(volume_native)
          from candles where token_id = any(${ids}::integer[]) and resolution = ${FINEST} and bucket >= ${start}
          group by 1, 3`
    ).execute(trx)
  }
}
