import { sql, type Transaction } from 'kysely'
import { isArchived } from '../../db/queries/archives.ts'
import type { Database } from '../../db/schema.ts'
import { type TokenFigures, toMarketCapUsd } from './token-figures.ts'

interface CurveRow {
  token: string
  block_number: number
  log_index: number
  virtual_quote: string
  virtual_token: string
  real_quote: string
  real_token: string
  rate_native: string | null
}

const parseRate = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

/**
 * After an undo: restores the values that are not sums from the remaining trades, also archived ones, and pool states, and from
 * the candles, which must have been rebuilt before.
 */
export async function restoreLatest(
  trx: Transaction<Database>,
  from: number,
  figures: ReadonlyMap<string, TokenFigures>,
): Promise<void> {
  const tokens = [...figures.keys()]
  for (const token of figures.values()) {
    if (token.created && token.created.blockNumber >= from) token.created = null
    if (token.completed && token.completed.blockNumber >= from) token.completed = null
    if (token.graduated && token.graduated.blockNumber >= from) {
      token.graduated = null
      token.poolAddress = null
    }
    token.curve = null
    token.pool = null
    token.lastTrade = null
  }
  await restoreCurves(trx, tokens, figures)
  await restorePools(trx, tokens, figures)
  await restoreLastTrades(trx, tokens, figures)
  await restoreAth(trx, tokens, figures)
}

/** The launched ones of these tokens, as f and t. */
const launched = (tokens: readonly string[]) => sql`token_figures f
    join tokens t on t.id = f.token_id and f.token_id = any(array(select id from tokens where address = any(${tokens}::text[])))`

async function restoreCurves(
  trx: Transaction<Database>,
  tokens: readonly string[],
  figures: ReadonlyMap<string, TokenFigures>,
): Promise<void> {
  const { rows } = await sql<CurveRow>`
    select t.address as token, coalesce(l.block_number, t.block_number) as block_number, coalesce(l.log_index, t.log_index) as log_index,
      coalesce(l.virtual_quote, t.initial_virtual_quote) as virtual_quote,
      coalesce(l.virtual_token, t.initial_virtual_token) as virtual_token,
      coalesce(l.real_quote, 0) as real_quote, coalesce(l.real_token, t.initial_real_token) as real_token,
      case when l.block_number is null then t.rate_native else l.rate_native end as rate_native
    from ${launched(tokens)}
    left join lateral (
      (select block_number, log_index, virtual_quote, virtual_token, real_quote, real_token, rate_native from trades
        where token_id = f.token_id and venue = 'c' order by block_number desc, log_index desc limit 1)
      union all
      (select curve_block, curve_log, virtual_quote, virtual_token, real_quote, real_token, curve_rate_native from archived_tokens a
        where token_id = f.token_id and curve_block is not null and ${isArchived('a')} order by first desc limit 1)
      order by block_number desc, log_index desc limit 1
    ) l on true`.execute(trx)
  for (const row of rows) {
    const token = figures.get(row.token)
    if (!token) continue
    token.curve = {
      blockNumber: row.block_number,
      logIndex: row.log_index,
      quote: BigInt(row.virtual_quote),
      token: BigInt(row.virtual_token),
      realQuote: BigInt(row.real_quote),
      realToken: BigInt(row.real_token),
      rate: parseRate(row.rate_native),
    }
  }
}

interface PoolRow {
  token: string
  block_number: number
  log_index: number
  quote: string
  base: string
  rate_native: string | null
}

async function restorePools(
  trx: Transaction<Database>,
  tokens: readonly string[],
  figures: ReadonlyMap<string, TokenFigures>,
): Promise<void> {
  const { rows } = await sql<PoolRow>`
    select t.address as token, l.* from ${launched(tokens)}
    join lateral (
      (select block_number, log_index, virtual_quote as quote, virtual_token as base, rate_native from trades
        where token_id = f.token_id and venue = 'p' order by block_number desc, log_index desc limit 1)
      union all
      (select block_number, log_index, pool_quote, pool_token, rate_native from pool_states
        where token_id = f.token_id order by block_number desc, log_index desc limit 1)
      union all
      (select pool_block, pool_log, pool_quote, pool_token, pool_rate_native from archived_tokens a
        where token_id = f.token_id and pool_block is not null and ${isArchived('a')} order by first desc limit 1)
      order by block_number desc, log_index desc limit 1
    ) l on true`.execute(trx)
  for (const row of rows) {
    const token = figures.get(row.token)
    if (!token) continue
    token.pool = {
      blockNumber: row.block_number,
      logIndex: row.log_index,
      quote: BigInt(row.quote),
      token: BigInt(row.base),
      rate: parseRate(row.rate_native),
    }
  }
}

async function restoreLastTrades(
  trx: Transaction<Database>,
  tokens: readonly string[],
  figures: ReadonlyMap<string, TokenFigures>,
): Promise<void> {
  const { rows } = await sql<{ token: string; block_number: number; log_index: number; block_time: number }>`
    select t.address as token, l.* from ${launched(tokens)}
    join lateral (
      (select block_number, log_index, block_time from trades where token_id = f.token_id
        order by block_number desc, log_index desc limit 1)
      union all
      (select last_block, last_log, last_at from archived_tokens a where token_id = f.token_id and ${isArchived('a')}
        order by first desc limit 1)
      order by block_number desc, log_index desc limit 1
    ) l on true`.execute(trx)
  for (const row of rows) {
    const token = figures.get(row.token)
    if (token) token.lastTrade = { blockNumber: row.block_number, logIndex: row.log_index, at: row.block_time }
  }
}

/** The highest market cap in the daily candles. */
async function restoreAth(
  trx: Transaction<Database>,
  tokens: readonly string[],
  figures: ReadonlyMap<string, TokenFigures>,
): Promise<void> {
  for (const token of figures.values()) token.athMarketCapUsd = null
  const { rows } = await sql<{ token: string; high: number | null }>`
    select t.address as token, max(c.high_usd) as high from tokens t join candles c on c.token_id = t.id
    where t.address = any(${tokens}::text[]) and c.resolution = 86400 group by t.address`.execute(trx)
  for (const { token: address, high } of rows) {
    const token = figures.get(address)
    if (token && high !== null) token.athMarketCapUsd = toMarketCapUsd(high, token)
  }
}
