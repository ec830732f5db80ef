import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { LaunchpadKind } from '../../../launchpads/kinds.ts'
import { NATIVE } from '../../addresses.ts'
import { bytes, columnToHex } from '../../hex.ts'
import type { Database } from '../../schema.ts'
import { joinChainState } from '../chain-state.ts'
import { sideOf, venueOf } from '../trade-columns.ts'

/** A block, and its time in unix seconds. */
export interface ServedBlock {
  number: number
  time: number
}

/**
 * The newest block that is indexed and final, because readers of the feed request each block once. If the block is not
 * stored, the newest stored one before it: no event lies between. undefined before the first.
 */
export async function findServedBlock(db: Kysely<Database>): Promise<ServedBlock | undefined> {
  const { rows } = await sql<ServedBlock>`
    select b.number, b.time
    from (
      select least(checkpoint_number, finalized_number) as number, checkpoint_number, checkpoint_time
      from chain_state limit 1
    ) s
    cross join lateral (
      (select s.checkpoint_number as number, s.checkpoint_time as time where s.checkpoint_number = s.number)
      union all
      (select number, time from blocks where number <= s.number order by number desc limit 1)
      order by number desc limit 1
    ) b
    where b.number >= 0`.execute(db)
  return rows[0]
}

/** A token as an asset: its immutable values and its creator's metadata. */
export interface AssetRow {
  address: string
  name: string
  symbol: string
  decimals: number
  total_supply: string
  description: string | null
  image_url: string | null
  website: string | null
  twitter: string | null
  telegram: string | null
  discord: string | null
}

/** A launched, visible token. */
export async function findAsset(db: Kysely<Database>, address: string): Promise<AssetRow | undefined> {
  const { rows } = await sql<AssetRow>`
    select t.address, t.name, t.symbol, t.decimals, t.total_supply, m.description, m.image_url, m.website, m.twitter,
      m.telegram, m.discord
    from tokens t
    join token_figures f on f.token_id = t.id and not f.hidden
    left join token_metadata m on m.token_id = f.token_id
    where t.address = ${address}`.execute(db)
  return rows[0]
}

/** The wrapped native coin; undefined before the first indexed block. */
export async function findWrappedNative(db: Kysely<Database>): Promise<string | undefined> {
  const state = await db.selectFrom('chain_state').select('wrapped_native').executeTakeFirst()
  return state?.wrapped_native || undefined
}

/** A curve, the pool that replaced it, or the pool of a launch, with the block, time and transaction of its creation. */
export interface PairRow {
  token: string
  launchpad: string
  launchpad_kind: LaunchpadKind
  creator: string
  /** The pool's address or id; null for the curve. */
  pool: string | null
  /** Basis points; of the curve. null if the launchpad does not say. */
  fee_bps: number | null
  /** Type of the pool. */
  pool_type: string
  /** Contract of the quote asset. */
  quote_contract: string
  block_number: number
  block_time: number
  tx_hash: string
}

/** The contract of the quote asset of tokens as t; needs chain_state as s. */
export const quoteContract = sql<string>`case when t.quote_token = ${sql.lit(NATIVE)} then s.wrapped_native else t.quote_token end`

/** A curve by its token's address, or a pool by its own; undefined for hidden tokens, and for the curve of a token without one. */
export async function findPair(db: Kysely<Database>, id: string): Promise<PairRow | undefined> {
  const { rows } = await sql<PairRow & { lifecycle: 'curve' | 'direct' }>`
    select t.address as token, t.launchpad, t.launchpad_kind, t.creator, t.lifecycle, f.pool,
      t.protocol_fee_bps + t.creator_fee_bps as fee_bps, t.venue as pool_type, ${quoteContract} as quote_contract, t.block_number,
      t.block_time, t.tx_hash
    from (
      select id from tokens where address = ${id} union all select token_id from pools where pool = ${bytes(id)}
    ) wanted
    join token_figures f on f.token_id = wanted.id and not f.hidden
    join tokens t on t.id = f.token_id
    ${joinChainState}
    where s.wrapped_native <> '' and ((t.lifecycle = 'curve' and t.address = ${id}) or f.pool = ${bytes(id)})
    limit 1`.execute(db)
  const [found] = rows
  if (!found) return undefined
  const { lifecycle, ...pair } = found
  if (lifecycle === 'direct') return pair
  if (pair.token === id) return { ...pair, pool: null }
  const graduation = await findGraduation(db, pair.token)
  return graduation && { ...pair, ...graduation }
}

/** The graduation of a token. A statement of its own: Citus joins no actions, which are on one server, with figures, which are spread. */
async function findGraduation(
  db: Kysely<Database>,
  token: string,
): Promise<Pick<PairRow, 'block_number' | 'block_time' | 'tx_hash'> | undefined> {
  const { rows } = await sql<Pick<PairRow, 'block_number' | 'block_time' | 'tx_hash'>>`
    select block_number, block_time, ${columnToHex('tx_hash')} as tx_hash from actions
    where subject = ${token} and type = 'graduate' order by block_number desc, log_index desc limit 1`.execute(db)
  return rows[0]
}

/** A trade, or a graduation: then `data` has the amounts, and the trade's columns are null. Amounts in base units. */
export interface FeedEventRow {
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  /** The log index of the first of these events in its transaction. */
  first_log: number
  token: string
  maker: string
  kind: 'buy' | 'sell' | 'graduate'
  venue: 'curve' | 'pool'
  token_amount: string | null
  quote_amount: string | null
  /** Reserves after the trade: those whose ratio is the price, and the real ones of a curve. */
  virtual_quote: string | null
  virtual_token: string | null
  real_quote: string | null
  real_token: string | null
  data: { pool?: string; quoteLiquidity?: string; tokenLiquidity?: string } | null
  /** The pool's reserves after a graduation, if stored. */
  pool_quote: string | null
  pool_token: string | null
  pool: string | null
  /** Type of the pool. */
  pool_type: string
  decimals: number
  quote_decimals: number
  /** Tokens that the curve does not sell, reserved for the pool. */
  set_aside: string
  /** Whether the token is visible. */
  listed: boolean
}

export interface BlockRange {
  from: number
  to: number
}

/** The events of the blocks from..to, both included, in the order of the chain: at most `limit` trades, all if it is null. */
export async function listFeedEvents(
  db: Kysely<Database>,
  range: BlockRange & { limit: number | null },
): Promise<FeedEventRow[]> {
  const { rows } = await buildFeedEvents(range).execute(db)
  return rows
}

/**
 * The statement of listFeedEvents, exported to test its plan. Events of hidden tokens are marked, not excluded: hiding a
 * token must not move the other events of a transaction.
 */
export function buildFeedEvents({ from, to, limit }: BlockRange & { limit: number | null }): RawBuilder<FeedEventRow> {
  const inRange = sql`block_number >= ${from} and block_number <= ${to}`
  return sql<FeedEventRow>`
    select e.*, t.address as token, f.pool, t.venue as pool_type, t.decimals, t.quote_decimals, t.total_supply - t.initial_real_token as set_aside,
      not f.hidden as listed
    from (
      select *, min(log_index) over (partition by block_number, tx_hash) as first_log
      from (
        (select block_number, log_index, block_time, tx_hash, token_id, trader as maker,
            ${sideOf('t')} as kind, ${venueOf('t')} as venue, token_amount,
            quote_amount, virtual_quote, virtual_token, real_quote, real_token, null::jsonb as data,
            null::numeric as pool_quote, null::numeric as pool_token
          from trades t where ${inRange} order by block_number, log_index limit ${limit})
        union all
        (select distinct on (a.block_number, a.log_index) a.block_number, a.log_index, a.block_time, a.tx_hash, k.id, a.wallet, 'graduate', 'pool', null, null,
            null, null, null, null, a.data, p.pool_quote, p.pool_token
          from (select * from actions where type = 'graduate' and ${inRange}) a
          join tokens k on k.address = a.subject
          left join (select * from pool_states where ${inRange}) p
            on p.token_id = k.id and p.block_number = a.block_number and p.log_index < a.log_index
          order by a.block_number, a.log_index, p.log_index desc)
      ) both_kinds
    ) e
    join token_figures f on f.token_id = e.token_id
    join tokens t on t.id = e.token_id
    order by e.block_number, e.log_index`
}

/** An asset of QUOTES by its address. */
export async function findQuoteAsset(
  db: Kysely<Database>,
  address: string,
): Promise<{ address: string; symbol: string; decimals: number } | undefined> {
  return db
    .selectFrom('quotes')
    .select(['address', 'symbol', 'decimals'])
    .where('address', '=', address)
    .executeTakeFirst()
}
