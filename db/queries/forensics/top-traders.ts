import { type Kysely, type RawBuilder, sql } from 'kysely'
import { bytes } from '../../hex.ts'
import type { Database } from '../../schema.ts'
import { tokenId } from '../../token-ids.ts'
import { joinChainState } from '../chain-state.ts'
import type { HolderKeyset } from '../holders.ts'
import { type QuoteAssetRow, quoteOf } from '../quote-assets.ts'
import { reserveOf } from '../tokens.ts'

export type TraderRanking = 'realized' | 'unrealized' | 'volume'

/** The largest balances, among which the ranking by unrealized profit is made: it changes with every price. */
export const RANKED_BALANCES = 1_000

/** A wallet that traded a token. Amounts in base units; reserve_* are those whose ratio is the current price. */
export interface TraderRow {
  wallet: string
  balance: string
  bought: string
  sold: string
  spent: string
  proceeds: string
  lot_tokens: string
  lot_cost: string
  lot_cost_usd: string
  realized: string
  realized_usd: string
  /** Native coin; null: as in the quote asset, which is the native coin. */
  lot_cost_native: string | null
  realized_native: string | null
  last_trade_at: number | null
  reserve_quote: string
  reserve_token: string
  native_usd: string | null
  native_symbol: string
  /** null: the native coin. */
  quote: QuoteAssetRow | null
  /** What the list is ordered by. */
  rank: string
}

interface TradersQuery {
  tokenId: number
  by: TraderRanking
  limit: number
  after: HolderKeyset | null
}

/** Traders of a token, the highest rank first. */
export async function listTopTraders(db: Kysely<Database>, args: TradersQuery): Promise<TraderRow[]> {
  const { rows } = await buildTopTraders(args).execute(db)
  return rows
}

/** The statement of listTopTraders, exported to test its plan. Equal ranks and lower ones are read separately, as in buildHolders. */
export function buildTopTraders({ tokenId: id, by, limit, after }: TradersQuery): RawBuilder<TraderRow> {
  const ranked = sql`select *, ${rankOf[by]} as rank from ${by === 'unrealized' ? largestOf(id) : tradersOf(id)} b`
  const order = sql`order by ${rankOf[by]} desc, wallet limit ${limit}`
  const page = after
    ? sql`
      (${ranked} where ${rankOf[by]} = ${after[0]}::numeric and wallet > ${bytes(after[1])} order by wallet limit ${limit})
      union all
      (${ranked} where ${rankOf[by]} < ${after[0]}::numeric ${order})`
    : sql`(${ranked} ${order})`
  return sql<TraderRow>`${selectTraders(page)} order by b.rank desc, b.wallet limit ${limit}`
}

/** A wallet that traded a token; undefined if it did not, or the token is not launched. */
export async function findTrader(
  db: Kysely<Database>,
  { token, wallet }: { token: string; wallet: string },
): Promise<TraderRow | undefined> {
  const traded = sql`select *, ${rankOf.volume} as rank from ${tradersOf(tokenId(token))} b where wallet = ${bytes(wallet)}`
  const { rows } = await selectTraders(traded).execute(db)
  return rows[0]
}

const selectTraders = (balances: RawBuilder<unknown>) => sql<TraderRow>`
    select b.wallet, b.balance, b.bought, b.sold, b.spent, b.proceeds, b.lot_tokens, b.lot_cost, b.lot_cost_usd, b.realized,
      b.realized_usd, b.lot_cost_native, b.realized_native, b.last_trade_at, b.rank, ${reserveOf('quote')} as reserve_quote, ${reserveOf('token')} as reserve_token,
      s.quote_usd as native_usd, s.native_symbol, ${quoteOf('t.quote_token')} as quote
    from (${balances}) b join token_figures f on f.token_id = b.token_id join tokens t on t.id = b.token_id ${joinChainState}`

const columns = sql`token_id, wallet, balance, bought, sold, spent, proceeds, lot_tokens, lot_cost, lot_cost_usd, realized,
  realized_usd, lot_cost_native, realized_native, last_trade_at`

const tradersOf = (id: number | RawBuilder<number>) => sql`(
    select ${columns} from balances where token_id = ${id} and spent + proceeds > 0
  )`

const largestOf = (id: number) => sql`(
    select b.*, ${reserveOf('quote')} as reserve_quote, ${reserveOf('token')} as reserve_token
    from (
      select ${columns} from balances where token_id = ${id} and balance > 0
      order by balance desc, wallet limit ${sql.lit(RANKED_BALANCES)}
    ) b join token_figures f on f.token_id = b.token_id where b.lot_tokens > 0
  )`

/** Value of the bought part of a balance less its cost, as in chain/holding.ts. */
const unrealized = sql`coalesce(div(least(balance, lot_tokens) * reserve_quote, nullif(reserve_token, 0)), 0)
  - div(lot_cost * least(balance, lot_tokens), lot_tokens)`

const rankOf: Record<TraderRanking, RawBuilder<unknown>> = {
  realized: sql`realized`,
  unrealized: sql`(${unrealized})`,
  volume: sql`(spent + proceeds)`,
}
