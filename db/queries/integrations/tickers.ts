import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../schema.ts'
import { tokenId } from '../../token-ids.ts'
import { joinChainState } from '../chain-state.ts'
import { type QuoteAssetRow, quoteOf } from '../quote-assets.ts'
import { isSince, isUntil, letterOf, sideOf } from '../trade-columns.ts'
import { quoteContract } from './adapter.ts'

/** The market of a token over the last day. Prices: quote asset for a token, both in base units, an integer with fifty decimals. */
export interface TickerRow {
  token: string
  /** Null while the token trades on its curve. */
  pool: string | null
  quote_contract: string
  decimals: number
  quote_decimals: number
  last_price: string
  high: string
  low: string
  /** Base units. */
  base_volume: string
  target_volume: string
  /** Base units of the quote asset that both sides of the market are worth; null if the pool's logs do not contain it. */
  liquidity: string | null
  native_usd: string | null
  /** null: the native coin. */
  quote: QuoteAssetRow | null
}

/** Price paid per token, rounded down: an integer with fifty decimals, so that comparisons are exact. */
const tradePrice = sql`div(quote_amount * 1${sql.raw('0'.repeat(50))}, token_amount)`

/** Tokens traded in the last day, highest volume first. Excludes hidden tokens. */
export async function listTickers(db: Kysely<Database>, page: { limit: number; offset: number }): Promise<TickerRow[]> {
  const { rows } = await buildTickerList(page).execute(db)
  return rows
}

/** The statement of listTickers, exported to test its plan. */
export function buildTickerList({ limit, offset }: { limit: number; offset: number }): RawBuilder<TickerRow> {
  const page = sql`array(
    select token_id from token_figures where not hidden and volume_h24 > 0
    order by volume_h24 desc, token_id limit ${limit} offset ${offset}
  )`
  const dayAgo = sql`(select clock_time - 86400 from chain_state limit 1)`
  return sql<TickerRow>`
    select t.address as token, case when f.status = 'graduated' then f.pool end as pool, ${quoteContract} as quote_contract, t.decimals, t.quote_decimals,
      ${quoteOf('t.quote_token')} as quote, d.last_price, d.high, d.low,
      d.base_volume, d.target_volume, s.quote_usd as native_usd,
      case when f.status <> 'graduated' then f.real_quote when t.venue = 'uniswap-v2' then 2 * coalesce(f.pool_quote, 0) end as liquidity
    from token_figures f
    join tokens t on t.id = f.token_id
    ${joinChainState}
    join (
      select token_id, (array_agg(price order by block_number desc, log_index desc))[1] as last_price, max(price) as high,
        min(price) as low, sum(token_amount) as base_volume, sum(quote_amount) as target_volume
      from (
        select token_id, block_number, log_index, token_amount, quote_amount, ${tradePrice} as price from trades
        where token_id = any(${page}) and token_amount > 0 and quote_amount > 0
          and block_number >= (select number from blocks where time >= ${dayAgo} order by time, number limit 1)
          and block_time >= ${dayAgo}
      ) day where price > 0
      group by token_id
    ) d on d.token_id = f.token_id
    where f.token_id = any(${page}) and s.wrapped_native <> ''
    order by f.volume_h24 desc, f.token_id`
}

/** A trade of a token. Amounts in base units, time in unix seconds. */
export interface TickerTradeRow {
  block_number: number
  log_index: number
  block_time: number
  side: 'buy' | 'sell'
  token_amount: string
  quote_amount: string
}

export interface TickerTradesArgs {
  tokenId: number
  side: 'buy' | 'sell' | null
  /** Unix seconds, both included; null for no bound. */
  from: number | null
  to: number | null
  limit: number
}

/** Trades of a token with both amounts positive, newest first. */
export async function listTickerTrades(db: Kysely<Database>, args: TickerTradesArgs): Promise<TickerTradeRow[]> {
  const { rows } = await buildTickerTrades(args).execute(db)
  return rows
}

/** The statement of listTickerTrades, exported to test its plan. */
export function buildTickerTrades({ tokenId, side, from, to, limit }: TickerTradesArgs): RawBuilder<TickerTradeRow> {
  return sql<TickerTradeRow>`
    select block_number, log_index, block_time, ${sideOf('trades')} as side, token_amount, quote_amount from trades
    where token_id = ${tokenId} and token_amount > 0 and quote_amount > 0
      ${side === null ? sql`` : sql`and side = ${letterOf(side)}`}
      ${from === null ? sql`` : sql`and ${isSince(from)}`} ${to === null ? sql`` : sql`and ${isUntil(to)}`}
    order by block_number desc, log_index desc limit ${limit}`
}

/** A token that can have a ticker: launched here, and not hidden. */
export interface ListedToken {
  id: number
  decimals: number
  quote_decimals: number
  quote_contract: string
}

export async function findListed(db: Kysely<Database>, token: string): Promise<ListedToken | undefined> {
  const { rows } = await sql<ListedToken>`
    select t.id, t.decimals, t.quote_decimals, ${quoteContract} as quote_contract
    from token_figures f join tokens t on t.id = f.token_id ${joinChainState}
    where f.token_id = ${tokenId(token)} and not f.hidden`.execute(db)
  return rows[0]
}
