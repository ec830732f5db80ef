import { type Kysely, type QueryResult, type RawBuilder, sql } from 'kysely'
import { AppError } from '../../errors.ts'
import type { LaunchpadKind } from '../../launchpads/kinds.ts'
import { NATIVE } from '../addresses.ts'
import { toArray } from '../bulk.ts'
import { preparedOnce } from '../postgres/prepared.ts'
import type { Database } from '../schema.ts'
import { joinChainState } from './chain-state.ts'
import { type LogPosition, positionTable } from './positions.ts'
import { type QuoteAssetRow, quoteOf } from './quote-assets.ts'

/** A token with its figures and metadata. Amounts are base units in decimal digits, times unix seconds. */
export interface TokenRow {
  address: string
  launchpad: string
  launchpad_kind: LaunchpadKind
  /** Type of the pool into which it graduates, or in which it was launched. */
  venue: string
  lifecycle: 'curve' | 'direct'
  creator: string
  name: string
  symbol: string
  decimals: number
  total_supply: string
  metadata_uri: string
  block_number: number
  log_index: number
  tx_hash: string
  block_time: number
  confirmed: boolean
  status: 'curve' | 'completed' | 'graduated'
  progress: string
  graduated_at: number | null
  pool: string | null
  target_quote: string
  /** null if the launchpad does not say. */
  protocol_fee_bps: number | null
  creator_fee_bps: number | null
  virtual_quote: string
  virtual_token: string
  real_quote: string
  real_token: string
  pool_quote: string | null
  pool_token: string | null
  /** Whole units of the quote asset for one whole token. */
  price: number
  /** The price at the start of each window; the launch price before the first trade. */
  price_m5: number
  price_h1: number
  price_h24: number
  market_cap: string
  ath_market_cap_usd: number | null
  /** Native coin. */
  volume_h1: string
  volume_h24: string
  volume_total: string
  /** Quote asset; null if that is the native coin. */
  volume_quote_h1: string | null
  volume_quote_h24: string | null
  volume_quote_total: string | null
  volume_usd_h24: string
  buys_h24: number
  sells_h24: number
  traders_h24: number
  last_trade_at: number | null
  holder_count: number
  top10_balance: string
  creator_balance: string
  sniper_balance: string
  /** null: stored by a version before. */
  bundler_balance: string | null
  hidden: boolean
  featured: boolean
  description: string | null
  image_url: string | null
  banner_url: string | null
  website: string | null
  twitter: string | null
  telegram: string | null
  discord: string | null
  symbol_taken_before: boolean
  comment_count: number
  like_count: number
  watcher_count: number
  /** Current price of the native coin in US dollars; null without a feed. */
  native_usd: string | null
  /** Symbol of the native coin. */
  native_symbol: string
  /** null: the native coin. */
  quote: QuoteAssetRow | null
}

const clock = sql`s.clock_time`
/** In a subquery, where Citus accepts no column of chain_state as s. Each is computed once a statement, which takes time. */
export const clockInside = sql`(select clock_time from chain_state limit 1)`
/** In whole units of the quote asset for one whole token. Refers to tokens as t. */
export const launchPrice = sql`t.initial_virtual_quote::double precision / nullif(t.initial_virtual_token, 0)::double precision
    * power(10::double precision, t.decimals - t.quote_decimals)`

/** The same in native coin; null if unknown. */
export const launchPriceNative = sql`${launchPrice}
  * case when t.quote_token = ${sql.lit(NATIVE)} then 1 else t.rate_native::double precision / 1e36 end`

/** The reserves whose ratio is the price of token_figures as f: of the pool, once it has some. */
export const reserveOf = (side: 'quote' | 'token'): RawBuilder<string> =>
  sql<string>`case when f.status = 'graduated' and f.pool_token is not null then ${sql.ref(`f.pool_${side}`)}
    else ${sql.ref(`f.virtual_${side}`)} end`

/** Whether a token has its present price since the start of a window: on a curve, only trades change it. */
export const isUnchanged = (seconds: number, now = clock) =>
  sql`(f.pool is null and (f.last_trade_at is null or f.last_trade_at <= ${now} - ${sql.lit(seconds)}))`

/** The last minute that began at or before the start of a window. Refers to token_figures as f. */
export const lastClose = (
  columns: RawBuilder<unknown>,
  seconds: number,
  condition = sql`true`,
) => sql`select ${columns} from candles c
    where c.token_id = f.token_id and c.resolution = 60 and c.bucket <= ${clockInside} - ${sql.lit(seconds)} and ${condition}
    order by c.bucket desc limit 1`

const RECENT = 300
export const LONGEST = 86_400

/** The start of the shortest window, which serves all: most tokens have not traded since. Not read if every price is the present one. */
const joinRecent = sql`left join lateral (
    ${lastClose(sql`c.bucket, c.close`, RECENT, sql`not ${isUnchanged(LONGEST, clockInside)}`)}
  ) recent on true`

/** `earlier`: the price, if there was one before the window. */
const priceAgo = (seconds: number, earlier: RawBuilder<unknown>) =>
  sql`case when ${isUnchanged(seconds)} then f.price else coalesce(${earlier}, ${launchPrice}) end`

/**
 * The close of the last minute that began at or before the start of a longer window: a probe of the candles' primary key only
 * if the token has traded since. A subquery, because each join adds orders for the planner to consider.
 */
const closeAgo = (seconds: number) => sql`case
    when recent.bucket <= ${clock} - ${sql.lit(seconds)} then recent.close
    when recent.bucket is not null then (${lastClose(sql`c.close`, seconds)})
  end`

/**
 * Token rows for the ids that a query returns. Limit these: each row costs its primary keys and up to three probes of candles. `order`
 * and `extra` (more columns) refer to token_figures as f. Read the rows by readTokens.
 *
 * All rows of a token are joined by its number, so that Citus runs the statement where they are.
 */
export function selectTokens(
  ids: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  extra?: RawBuilder<unknown>,
): RawBuilder<StoredToken> {
  return sql<StoredToken>`
    select t.address, t.launchpad, t.launchpad_kind, t.venue, t.lifecycle, t.creator, t.name, t.symbol, t.decimals, t.total_supply,
      t.metadata_uri, m.contract_uri, m.contract_uri_block, m.contract_uri_log,
      t.block_number, t.log_index, t.tx_hash, t.block_time, t.target_quote, t.protocol_fee_bps, t.creator_fee_bps,
      coalesce(t.block_number <= s.finalized_number, false) as confirmed,
      f.status, f.progress, f.graduated_at, f.pool, f.virtual_quote, f.virtual_token, f.real_quote, f.real_token,
      f.pool_quote, f.pool_token, f.price, f.market_cap, f.ath_market_cap_usd, f.volume_h1, f.volume_h24,
      f.volume_total, f.volume_quote_h1, f.volume_quote_h24, f.volume_quote_total, f.volume_usd_h24, f.buys_h24, f.sells_h24, f.traders_h24, f.last_trade_at, f.holder_count,
      f.top10_balance, f.creator_balance, f.sniper_balance, f.bundler_balance, f.hidden,
      ${priceAgo(RECENT, sql`recent.close`)} as price_m5, ${priceAgo(3_600, closeAgo(3_600))} as price_h1,
      ${priceAgo(LONGEST, closeAgo(LONGEST))} as price_h24,
      coalesce(m.featured, false) as featured,
      m.description, m.image_url, m.banner_url, m.website, m.twitter, m.telegram, m.discord,
      t.symbol_taken_before,
      coalesce(k.comments, 0) as comment_count, coalesce(k.likes, 0) as like_count,
      coalesce(k.watchers, 0) as watcher_count,
      s.quote_usd as native_usd, s.native_symbol, ${quoteOf('t.quote_token')} as quote${extra ? sql`, ${extra}` : sql``}
    from token_figures f
    join tokens t on t.id = f.token_id
    left join token_metadata m on m.token_id = f.token_id
    left join token_counts k on k.token_id = f.token_id
    ${joinChainState}
    ${joinRecent}
    where f.token_id = any(array(${ids}))
    order by ${order}`
}

/** A row of selectTokens. */
export type StoredToken = TokenRow & {
  contract_uri: string | null
  contract_uri_block: number | null
  contract_uri_log: number | null
}

/** The rows of a statement of selectTokens, with the contractURI as last read in place of that of the launch. */
export async function readTokens<Row extends StoredToken>(
  db: Kysely<Database>,
  result: Promise<QueryResult<Row>>,
): Promise<Row[]> {
  const { rows } = await result
  const updated = rows.filter(({ contract_uri }) => contract_uri !== null)
  if (updated.length === 0) return rows
  // It counts while the update that it was read after is on the chain.
  const positions = updated.map((row) => ({ blockNumber: row.contract_uri_block!, logIndex: row.contract_uri_log! }))
  const { rows: updates } = await sql<{ subject: string; block_number: number; log_index: number }>`
    select u.subject, u.block_number, u.log_index from ${positionTable(positions)}
    join actions u on u.block_number = wanted.block_number and u.log_index = wanted.log_index
    where u.type = 'update_metadata'`.execute(db)
  const keyOf = (address: string, block: number | null, log: number | null) => `${address} ${block} ${log}`
  const valid = new Set(updates.map((update) => keyOf(update.subject, update.block_number, update.log_index)))
  for (const row of updated)
    if (valid.has(keyOf(row.address, row.contract_uri_block, row.contract_uri_log)))
      row.metadata_uri = row.contract_uri as string
  return rows
}

/**
 * Whether the launch of a row (its alias) is on the chain: after a reorg another one may have its address. A value instead of
 * `exists`, for which the planner may scan all tokens.
 */
export const isOfLaunch = (alias: string): RawBuilder<boolean> =>
  sql<boolean>`(select o.id from tokens o where o.id = ${sql.ref(`${alias}.token_id`)}) is not null`

const byAddress = preparedOnce((address: string | undefined) =>
  selectTokens(sql`select id from tokens where address = ${address}`, sql`f.token_id`),
)

// The subquery hides the number of addresses from the planner. For few, it would else always prefer a plan of its own.
const byAddresses = preparedOnce((addresses: Buffer | undefined) =>
  selectTokens(sql`select id from tokens where address = any((select ${addresses}::text[])::text[])`, sql`f.token_id`),
)

/** A launched token, hidden or not. */
export async function findToken(db: Kysely<Database>, address: string): Promise<TokenRow | undefined> {
  const [token] = await readTokens(db, byAddress(db, address))
  return token
}

/** The launched ones of these tokens, hidden or not. */
export async function findTokens(db: Kysely<Database>, addresses: readonly string[]): Promise<TokenRow[]> {
  // In binary format: pg would escape each element of a list.
  return readTokens(db, byAddresses(db, toArray({ type: 'text', value: (address: string) => address }, addresses)))
}

export async function getToken(db: Kysely<Database>, address: string): Promise<TokenRow> {
  const token = await findToken(db, address)
  if (!token) throw new AppError('TOKEN_NOT_FOUND', { address })
  return token
}

/** Tokens launched at these positions, in chain order. */
export async function findTokensAt(db: Kysely<Database>, positions: readonly LogPosition[]): Promise<TokenRow[]> {
  const ids = sql`select tokens.id from ${positionTable(positions)}
    join tokens on tokens.block_number = wanted.block_number and tokens.log_index = wanted.log_index`
  return readTokens(db, selectTokens(ids, sql`t.block_number, t.log_index`).execute(db))
}
