import { type Kysely, type RawBuilder, sql } from 'kysely'
import { bytes, columnToHex } from '../../hex.ts'
import type { Database } from '../../schema.ts'
import { tokenId } from '../../token-ids.ts'
import { joinChainState } from '../chain-state.ts'
import { type QuoteAssetRow, quoteOf } from '../quote-assets.ts'
import { reserveOf } from '../tokens.ts'

/** A wallet's holding of a token. Amounts in base units; reserve_* are those whose ratio is the current price. */
export interface HoldingRow {
  token_id: number
  token: string
  name: string
  symbol: string
  image_url: string | null
  hidden: boolean
  balance: string
  /** Bought and unsold tokens, and their cost. */
  lot_tokens: string
  lot_cost: string
  lot_cost_usd: string
  realized: string
  realized_usd: string
  /** Native coin; null: as in the quote asset, which is the native coin. */
  lot_cost_native: string | null
  realized_native: string | null
  reserve_quote: string
  reserve_token: string
  first_seen_at: number
  last_trade_at: number | null
  /** Current price of the native coin in US dollars; null without a feed. */
  native_usd: string | null
  /** Symbol of the native coin. */
  native_symbol: string
  /** null: the native coin. */
  quote: QuoteAssetRow | null
  /** Decimals of the token. */
  decimals: number
}

interface HoldingsQuery {
  wallet: string
  limit: number
  /** Number of the last token of the previous page. */
  after: number | null
}

/** The most holdings of a wallet that are valued in one response: contracts and burn addresses can hold any number. */
export const MAX_VALUED = 2_000

/** Launched tokens that a wallet holds, in the order of their numbers, which their index has. */
export async function listHoldings(db: Kysely<Database>, args: HoldingsQuery): Promise<HoldingRow[]> {
  const { rows } = await buildHoldings(args).execute(db)
  return rows
}

/** The statement of listHoldings, exported to test its plan. */
export function buildHoldings({ wallet, limit, after }: HoldingsQuery): RawBuilder<HoldingRow> {
  const held = sql`b.token_id = any(array(
      select token_id from balances where wallet = ${bytes(wallet)} and balance > 0
        and token_id > ${after ?? 0}
      order by token_id limit ${limit}
    ))`
  return sql<HoldingRow>`${selectHoldings(wallet, held)} order by b.token_id`
}

/** What a wallet holds of a token, also nothing any more; undefined if it never held any, or the token was not launched. */
export async function findHolding(
  db: Kysely<Database>,
  { wallet, token }: { wallet: string; token: string },
): Promise<HoldingRow | undefined> {
  const { rows } = await selectHoldings(wallet, sql`b.token_id = ${tokenId(token)}`).execute(db)
  return rows[0]
}

function selectHoldings(wallet: string, condition: RawBuilder<unknown>): RawBuilder<HoldingRow> {
  return sql<HoldingRow>`
    select b.token_id, t.address as token, t.name, t.symbol, m.image_url, f.hidden, b.balance, b.lot_tokens, b.lot_cost, b.lot_cost_usd,
      b.realized, b.realized_usd, b.lot_cost_native, b.realized_native, b.first_seen_at, b.last_trade_at,
      ${reserveOf('quote')} as reserve_quote, ${reserveOf('token')} as reserve_token, s.quote_usd as native_usd,
      s.native_symbol, ${quoteOf('t.quote_token')} as quote, t.decimals
    from balances b
    join tokens t on t.id = b.token_id
    join token_figures f on f.token_id = b.token_id
    left join token_metadata m on m.token_id = b.token_id
    ${joinChainState}
    where b.wallet = ${bytes(wallet)} and ${condition}`
}

/** A token that a wallet launched or whose creator fees it gets, with these in base units of its quote asset. */
export interface CreationRow {
  token: string
  name: string
  symbol: string
  image_url: string | null
  hidden: boolean
  status: string
  total_supply: string
  reserve_quote: string
  reserve_token: string
  created_at: number
  /** null where the chain does not contain them. */
  fees_earned: string | null
  fees_claimed: string | null
  /** Owner of the right to the fees, and their split; null: all are the creator's. */
  fee_owner: string | null
  fee_shares: FeeShare[] | null
  creator: string
  native_usd: string | null
  /** Symbol of the native coin. */
  native_symbol: string
  /** null: the native coin. */
  quote: QuoteAssetRow | null
}

/** In the order of payouts: the last one gets what rounding leaves. */
interface FeeShare {
  recipient: string
  bps: number
}

interface CreationsQuery {
  wallet: string
  limit: number
}

/** A wallet's launched tokens, newest first. */
export async function listCreations(db: Kysely<Database>, { wallet, limit }: CreationsQuery): Promise<CreationRow[]> {
  const { rows } = await selectCreations(
    sql`select * from tokens where creator = ${wallet} order by block_number desc, log_index desc limit ${limit}`,
    sql`order by t.block_number desc, t.log_index desc`,
  ).execute(db)
  return rows
}

/** Tokens of other creators whose fees a wallet gets a share of, or may split; those with the highest fees to claim first. */
export async function listFeeShares(db: Kysely<Database>, args: CreationsQuery): Promise<CreationRow[]> {
  const { rows } = await buildFeeShares(args).execute(db)
  return rows
}

/** The statement of listFeeShares, exported to test its plan. */
export function buildFeeShares({ wallet, limit }: CreationsQuery): RawBuilder<CreationRow> {
  const named = sql`select token_id from fee_shares where recipient = ${bytes(wallet)}
    union select token_id from fee_shares where owner = ${bytes(wallet)}`
  return selectCreations(
    sql`select * from tokens where creator <> ${wallet} and id in (${named})`,
    sql`where r.owner = ${wallet} or r.shares @> jsonb_build_array(jsonb_build_object('recipient', ${wallet}::text))
      order by f.creator_fees - f.creator_fees_claimed desc, t.address limit ${limit}`,
  )
}

const selectCreations = (tokens: RawBuilder<unknown>, end: RawBuilder<unknown>) => sql<CreationRow>`
  select t.address as token, t.name, t.symbol, m.image_url, f.hidden, f.status, t.total_supply, ${reserveOf('quote')} as reserve_quote,
    ${reserveOf('token')} as reserve_token, t.block_time as created_at,
    case when t.creator_fee_bps is not null then f.creator_fees end as fees_earned,
    case when t.creator_fee_bps is not null then f.creator_fees_claimed end as fees_claimed, r.owner as fee_owner, r.shares as fee_shares,
    t.creator, s.quote_usd as native_usd, s.native_symbol, ${quoteOf('t.quote_token')} as quote
  from (${tokens}) t
  join token_figures f on f.token_id = t.id
  left join token_metadata m on m.token_id = f.token_id
  left join lateral (
    select ${columnToHex('owner')} as owner,
      jsonb_agg(jsonb_build_object('recipient', ${columnToHex('recipient')}, 'bps', bps) order by position) as shares
    from fee_shares where token_id = f.token_id
    group by block_number, log_index, owner order by block_number desc, log_index desc limit 1
  ) r on true
  ${joinChainState}
  ${end}`

/** The profit of a wallet's sales at average cost, and the current price of the native coin. */
export async function getRealized(
  db: Kysely<Database>,
  wallet: string,
): Promise<{ realized: string; realized_usd: string; native_usd: string | null }> {
  const { rows } = await sql<{ realized: string; realized_usd: string; native_usd: string | null }>`
    select coalesce(w.realized_total, 0) as realized, coalesce(w.realized_usd_total, 0) as realized_usd, s.quote_usd as native_usd
    from (select ${bytes(wallet)} as wallet) asked
    left join wallet_figures w on w.wallet = asked.wallet
    ${joinChainState}`.execute(db)
  return rows[0] ?? { realized: '0', realized_usd: '0', native_usd: null }
}
