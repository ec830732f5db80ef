import { sql, type Transaction } from 'kysely'
import { formatUsd } from '../chain/amounts.ts'
import type { Database } from '../db/schema.ts'
import { type ArchivedRanges, readArchivedLots, readArchivedTrades } from './archived.ts'
import type { Findings, Row } from './findings.ts'
import { LotAudit, type LotTrade } from './lots.ts'
import { TrendAudit } from './trend.ts'

const PAGE = 20_000
/** Chart intervals in seconds: 1m 5m 15m 30m 1h 4h 1d. */
const INTERVALS = [60, 300, 900, 1_800, 3_600, 14_400, 86_400]

interface TradeRow extends LotTrade {
  block_time: number
  venue: string
  virtual_quote: string
  virtual_token: string
  real_quote: string
  real_token: string
  price: number
  price_usd: number | null
  rate_native: string | null
}

/** A trade, or reserves of a pool without a trade: both set the price. */
type Priced = Pick<
  TradeRow,
  | 'block_number'
  | 'log_index'
  | 'block_time'
  | 'price'
  | 'price_usd'
  | 'rate_native'
  | 'quote_amount'
  | 'value_usd'
  | 'value_native'
> & { trades: number }

interface CandleSums {
  open: Priced
  close: Priced
  prices: number[]
  usd: number[]
  native: number[]
  volume: bigint
  volumeUsd: bigint
  volumeNative: bigint
  trades: number
}

type Position = Pick<TradeRow, 'block_number' | 'log_index'>
type CurveTrade = Position &
  Pick<TradeRow, 'virtual_quote' | 'virtual_token' | 'real_quote' | 'real_token' | 'rate_native'>
type PoolTrade = Position & Pick<TradeRow, 'virtual_quote' | 'virtual_token' | 'rate_native'>

interface LastTrades {
  trade?: Position & Pick<TradeRow, 'block_time'>
  curve?: CurveTrade
  pool?: PoolTrade
}

/**
 * Recomputes the candles and the other values that depend on single trades, from all trades of the token in order. Archived ones
 * count by their sums.
 */
export async function auditTokenTrades(
  trx: Transaction<Database>,
  findings: Findings,
  ranges: ArchivedRanges,
  token: string,
): Promise<void> {
  const candles = new Map<string, CandleSums>()
  let highestUsd: number | null = null
  const last: LastTrades = {}
  const lots = new LotAudit(findings, token, await readArchivedLots(trx, token))
  const trend = new TrendAudit()
  const states = await readStates(trx, token)
  const price = (priced: Priced) => {
    for (const interval of INTERVALS) addToCandle(candles, interval, priced)
    if (priced.price_usd !== null) highestUsd = Math.max(highestUsd ?? 0, priced.price_usd)
  }
  for await (const trade of readTrades(trx, token)) {
    lots.add(trade)
    while (states[0] && isBefore(states[0], trade)) price(states.shift()!)
    price({ ...trade, trades: 1 })
    trend.add(trade.block_time, BigInt(trade.value_native ?? trade.quote_amount))
    last.trade = trade
    last[trade.venue === 'curve' ? 'curve' : 'pool'] = trade
  }
  states.forEach(price)
  for (const archived of await readArchivedTrades(trx, token)) {
    trend.addSum(BigInt(String(archived.trend_sum)), Number(archived.trend_exponent))
    if (archived.highest_usd !== null) highestUsd = Math.max(highestUsd ?? 0, Number(archived.highest_usd))
    addArchived(last, archived)
  }
  await lots.compareBalances(trx)
  const [stored, expected] = [await readCandles(trx, token), expectCandles(candles, await isQuoted(trx, token))]
  ranges.leaveComparable(stored, expected)
  findings.compareMaps(`token ${token} candle`, stored, expected)
  await compareFigures(trx, findings, token, { last, highestUsd, trend })
}

async function compareFigures(
  trx: Transaction<Database>,
  findings: Findings,
  token: string,
  { last, highestUsd, trend }: { last: LastTrades; highestUsd: number | null; trend: TrendAudit },
): Promise<void> {
  const { rows } =
    await sql<Row>`select f.*, t.total_supply, t.target_quote, t.initial_virtual_quote, t.initial_virtual_token,
      t.initial_real_token, t.decimals, t.quote_token, t.quote_decimals, t.rate_native as launch_rate, t.block_number as launch_block, t.log_index as launch_log
    from readable_token_figures f left join tokens t on t.id = f.token_id where f.token = ${token}`.execute(trx)
  const stored = rows[0]
  if (!stored) return findings.report(`token ${token}: has no figures`)
  const supply = BigInt(String(stored.total_supply ?? 0))
  const { pool, poolRate } = await expectPool(trx, token, last.pool)
  const figures: Row = {
    last_trade_block: last.trade?.block_number ?? null,
    last_trade_log: last.trade?.log_index ?? null,
    last_trade_at: last.trade?.block_time ?? null,
    ath_market_cap_usd: highestUsd === null ? null : (highestUsd * Number(supply)) / 10 ** Number(stored.decimals),
    ...trend.expect(),
    ...expectCurve(stored, last.curve),
    ...pool,
  }
  findings.compareRows(`token ${token}`, stored, { ...figures, ...expectValuation(figures, stored, supply, poolRate) })
}

/** Puts the last trades of an archive in the place of older ones. */
function addArchived(last: LastTrades, row: Row): void {
  const at = (block: Row[string] | undefined, log: Row[string] | undefined): Position => ({
    block_number: Number(block),
    log_index: Number(log),
  })
  const isNewer = (position: Position, other: Position | undefined) => !other || isBefore(other, position)
  const text = (column: string) => String(row[column])
  const trade = { ...at(row.last_block, row.last_log), block_time: Number(row.last_at) }
  if (isNewer(trade, last.trade)) last.trade = trade
  const curve = at(row.curve_block, row.curve_log)
  if (row.curve_block !== null && isNewer(curve, last.curve)) {
    const virtual = { virtual_quote: text('virtual_quote'), virtual_token: text('virtual_token') }
    const rate_native = rateOf(row.curve_rate_native)
    last.curve = { ...curve, ...virtual, rate_native, real_quote: text('real_quote'), real_token: text('real_token') }
  }
  const pool = at(row.pool_block, row.pool_log)
  if (row.pool_block !== null && isNewer(pool, last.pool))
    last.pool = {
      ...{ ...pool, virtual_quote: text('pool_quote'), virtual_token: text('pool_token') },
      rate_native: rateOf(row.pool_rate_native),
    }
}

const rateOf = (value: Row[string] | undefined): string | null => (value == null ? null : String(value))

const isBefore = (a: Position, b: Position): boolean =>
  a.block_number < b.block_number || (a.block_number === b.block_number && a.log_index < b.log_index)

async function readStates(trx: Transaction<Database>, token: string): Promise<Priced[]> {
  const { rows } = await sql<Priced>`
    select s.block_number, s.log_index, b.time as block_time, s.price, s.price_usd, s.rate_native, '0' as quote_amount,
      null as value_usd, null as value_native, 0 as trades
    from readable_pool_states s join blocks b on b.number = s.block_number where s.token = ${token} and s.price is not null
    order by s.block_number, s.log_index`.execute(trx)
  return rows
}

async function* readTrades(trx: Transaction<Database>, token: string): AsyncGenerator<TradeRow> {
  let after = { block: -1, log: -1 }
  for (;;) {
    const { rows } = await sql<TradeRow>`
      select block_number, log_index, block_time, case venue when 'c' then 'curve' else 'pool' end as venue, quote_amount,
        virtual_quote, virtual_token, real_quote, real_token, price, price_usd, rate_native, value_usd, value_native, realized_native, trader, trader_known,
        case side when 'b' then 'buy' else 'sell' end as side, token_amount, realized, realized_usd
      from trades where token_id = (select id from tokens where address = ${token})
        and (block_number, log_index) > (${after.block}::bigint, ${after.log}::integer)
      order by block_number, log_index limit ${PAGE}`.execute(trx)
    yield* rows
    const end = rows.at(-1)
    if (!end || rows.length < PAGE) return
    after = { block: end.block_number, log: end.log_index }
  }
}

function addToCandle(candles: Map<string, CandleSums>, interval: number, trade: Priced): void {
  const key = `${interval}/${Math.floor(trade.block_time / interval) * interval}`
  const candle = candles.get(key) ?? {
    ...{ open: trade, close: trade, prices: [], usd: [], native: [] },
    ...{ volume: 0n, volumeUsd: 0n, volumeNative: 0n, trades: 0 },
  }
  candles.set(key, candle)
  candle.close = trade
  candle.prices = findRange([...candle.prices, trade.price])
  if (trade.price_usd !== null) candle.usd = findRange([...candle.usd, trade.price_usd])
  const native = nativePrice(trade)
  if (native !== null) candle.native = findRange([...candle.native, native])
  candle.volume += BigInt(trade.quote_amount)
  candle.volumeNative += BigInt(trade.value_native ?? 0)
  candle.volumeUsd += BigInt((trade.value_usd ?? '0.00000000').replace('.', ''))
  candle.trades += trade.trades
}

function nativePrice({ price, rate_native }: Priced): number | null {
  return rate_native === null ? null : price * (Number(rate_native) / 1e36)
}

function findRange(prices: readonly number[]): number[] {
  return [Math.min(...prices), Math.max(...prices)]
}

/** Whether the quote asset is not the native coin. */
async function isQuoted(trx: Transaction<Database>, token: string): Promise<boolean> {
  const row = await trx.selectFrom('tokens').select('quote_token').where('address', '=', token).executeTakeFirst()
  return row !== undefined && BigInt(row.quote_token) !== 0n
}

function expectCandles(candles: ReadonlyMap<string, CandleSums>, hasNative: boolean): Map<string, Row> {
  return new Map(
    [...candles].map(([key, { open, close, prices, usd, native, volume, volumeUsd, volumeNative, trades }]) => [
      key,
      {
        ...{ open: open.price, close: close.price, low: prices[0] ?? null, high: prices[1] ?? null },
        ...{ open_usd: open.price_usd, close_usd: close.price_usd, low_usd: usd[0] ?? null, high_usd: usd[1] ?? null },
        ...{ open_native: nativePrice(open), close_native: nativePrice(close) },
        ...{ low_native: native[0] ?? null, high_native: native[1] ?? null },
        ...{ volume, volume_usd: formatUsd(volumeUsd), volume_native: hasNative ? volumeNative : null, trades },
        ...{ open_block: open.block_number, open_log: open.log_index },
        ...{ close_block: close.block_number, close_log: close.log_index },
      },
    ]),
  )
}

async function readCandles(trx: Transaction<Database>, token: string): Promise<Map<string, Row>> {
  const { rows } = await sql<Row>`select * from candles
    where token_id = (select id from tokens where address = ${token})`.execute(trx)
  return new Map(rows.map((row) => [`${row.resolution}/${row.bucket}`, row]))
}

/** The curve's reserves after its last trade, or at the launch, with the rate at that time. */
function expectCurve(stored: Row, trade: CurveTrade | undefined): Row {
  if (trade) {
    const { block_number, log_index, virtual_quote, virtual_token, real_quote, real_token, rate_native } = trade
    const reserves = { virtual_quote, virtual_token, real_quote, real_token }
    return { curve_block: block_number, curve_log: log_index, ...reserves, rate_native }
  }
  return {
    ...{ curve_block: stored.launch_block ?? null, curve_log: stored.launch_log ?? null },
    ...{ virtual_quote: stored.initial_virtual_quote ?? '0', virtual_token: stored.initial_virtual_token ?? '0' },
    ...{ real_quote: '0', real_token: stored.initial_real_token ?? '0', rate_native: stored.launch_rate ?? null },
  }
}

interface PoolReserves extends Position {
  pool_quote: string
  pool_token: string
  rate_native: string | null
}

/** The reserves of the pool; poolRate: the rate at that time. */
async function expectPool(
  trx: Transaction<Database>,
  token: string,
  trade: PoolTrade | undefined,
): Promise<{ pool: Row; poolRate: string | null }> {
  const { rows } = await sql<PoolReserves>`
    select block_number, log_index, pool_quote, pool_token, rate_native from readable_pool_states where token = ${token}
    order by block_number desc, log_index desc limit 1`.execute(trx)
  const traded = trade && { ...trade, pool_quote: trade.virtual_quote, pool_token: trade.virtual_token }
  const [state] = rows
  const last = !traded || (state && !isBefore(state, traded)) ? state : traded
  const pool = {
    ...{ pool_block: last?.block_number ?? null, pool_log: last?.log_index ?? null },
    ...{ pool_quote: last?.pool_quote ?? null, pool_token: last?.pool_token ?? null },
  }
  return { pool, poolRate: last?.rate_native ?? null }
}

/** Price, market cap, progress and status, from the token's reserves and stages. */
function expectValuation(figures: Row, stored: Row, supply: bigint, poolRate: string | null): Row {
  const big = (value: Row[string] | undefined) => BigInt(String(value ?? 0))
  const graduated = stored.graduated_block !== null
  const completed = stored.completed_block !== null
  const inPool = graduated && figures.pool_quote !== null
  const quote = big(inPool ? figures.pool_quote : figures.virtual_quote)
  const token = big(inPool ? figures.pool_token : figures.virtual_token)
  const rate = inPool ? poolRate : (figures.rate_native ?? null)
  const [target, raised] = [big(stored.target_quote), big(figures.real_quote)]
  const millionths = completed || graduated ? 100_000_000n : target === 0n ? 0n : (raised * 100_000_000n) / target
  const digits = String(millionths > 100_000_000n ? 100_000_000n : millionths).padStart(7, '0')
  const places = Number(stored.decimals) - Number(stored.quote_decimals)
  const cap = token === 0n ? 0n : (quote * supply) / token
  return {
    status: graduated ? 'graduated' : completed ? 'completed' : 'curve',
    price: token === 0n ? 0 : (Number(quote) / Number(token)) * 10 ** places,
    rate_native: rate,
    market_cap: big(stored.quote_token) === 0n ? cap : toNative(cap, Number(stored.quote_decimals), rate),
    progress: `${digits.slice(0, -6)}.${digits.slice(-6)}`,
  }
}

/** An amount of a quote asset in native coin; 0 where its value is unknown. */
function toNative(amount: bigint, decimals: number, rate: Row[string]): bigint {
  const value = rate === null ? 0n : (amount * BigInt(String(rate))) / 10n ** BigInt(decimals + 18)
  return value > 2n ** 128n - 1n ? 0n : value
}
