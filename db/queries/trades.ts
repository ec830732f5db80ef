import { type Kysely, type RawBuilder, sql } from 'kysely'
import { bytes } from '../hex.ts'
import type { Database } from '../schema.ts'
import { addressOf } from '../token-ids.ts'
import { joinChainState } from './chain-state.ts'
import { isBefore, type LogPosition, type PositionKeyset, positionTable } from './positions.ts'
import { type QuoteAssetRow, quoteOfTrade } from './quote-assets.ts'
import { isSince, isUntil, letterOf, recipientOf, type Side, sideOf, type Venue, venueOf } from './trade-columns.ts'

/** A trade. Amounts are base units in decimal digits, block_time unix seconds. */
export interface TradeRow {
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  confirmed: boolean
  token: string
  trader: string
  recipient: string
  side: Side
  venue: Venue
  token_amount: string
  quote_amount: string
  /** null if the launchpad does not say. */
  protocol_fee: string | null
  creator_fee: string | null
  /** Reserves after the trade; their ratio is its price. */
  virtual_quote: string
  virtual_token: string
  price_usd: number | null
  value_usd: string | null
  /** Symbol of the native coin. */
  native_symbol: string
  /** null: the native coin. */
  quote: QuoteAssetRow | null
  /** Native coin for one whole unit of the quote asset at the trade: see QuoteAssetRow. */
  rate_native: string | null
  /** Decimals of the token. */
  decimals: number
}

/** Trades of a source of trades rows (a table expression without alias), newest first. */
const selectTrades = (source: RawBuilder<unknown>) => sql<TradeRow>`
  select e.block_number, e.log_index, e.block_time, e.tx_hash, ${addressOf('e')} as token, e.trader,
    ${recipientOf('e')} as recipient, ${sideOf('e')} as side, ${venueOf('e')} as venue,
    e.token_amount, e.quote_amount, e.protocol_fee, e.creator_fee, e.virtual_quote, e.virtual_token, e.price_usd,
    e.value_usd, coalesce(e.block_number <= s.finalized_number, false) as confirmed, s.native_symbol,
    ${quoteOfTrade('e')} as quote, e.rate_native, coalesce((select decimals from tokens where id = e.token_id), 18) as decimals
  from ${source} e ${joinChainState}
  order by e.block_number desc, e.log_index desc`

/** Conditions that all listed trades meet. Amounts are base units, times unix seconds; both ends are included. */
export interface TradeFilter {
  wallet?: string | undefined
  side?: Side | undefined
  minQuote?: string | undefined
  maxQuote?: string | undefined
  from?: number | undefined
  to?: number | undefined
}

interface TokenTradesArgs {
  tokenId: number
  filter?: TradeFilter
  limit: number
  after: PositionKeyset | null
}

/** Trades of a token, newest first. */
export async function listTokenTrades(db: Kysely<Database>, args: TokenTradesArgs): Promise<TradeRow[]> {
  const { rows } = await buildTokenTrades(args).execute(db)
  return rows
}

/** The statement of listTokenTrades, exported to test its plan. Partitions are read one after another, up to the limit. */
export const buildTokenTrades = ({ tokenId, limit, after, filter = {} }: TokenTradesArgs): RawBuilder<TradeRow> =>
  selectTrades(sql`(
    select * from trades
    where token_id = ${tokenId} and ${isBefore(after, 'block_number', 'log_index')} ${meets(filter)}
    order by block_number desc, log_index desc limit ${limit}
  )`)

function meets({ wallet, side, minQuote, maxQuote, from, to }: TradeFilter): RawBuilder<unknown> {
  const conditions = [
    wallet !== undefined && sql`trader = ${bytes(wallet)}`,
    side !== undefined && sql`side = ${letterOf(side)}`,
    minQuote !== undefined && sql`quote_amount >= ${minQuote}::numeric`,
    maxQuote !== undefined && sql`quote_amount <= ${maxQuote}::numeric`,
    from !== undefined && isSince(from),
    to !== undefined && isUntil(to),
  ].filter((condition) => condition !== false)
  return conditions.length === 0 ? sql`` : sql`and ${sql.join(conditions, sql` and `)}`
}

/** The trades at these positions, newest first. */
export async function findTradesAt(db: Kysely<Database>, positions: readonly LogPosition[]): Promise<TradeRow[]> {
  const { rows } = await selectTrades(sql`(
    select trades.* from ${positionTable(positions)}
    join trades on trades.block_number = wanted.block_number and trades.log_index = wanted.log_index
  )`).execute(db)
  return rows
}
