import { type Kysely, type RawBuilder, sql } from 'kysely'
import { AppError } from '../../../errors.ts'
import { NATIVE } from '../../addresses.ts'
import type { Database } from '../../schema.ts'
import { joinChainState } from '../chain-state.ts'
import { isBefore, type PositionKeyset } from '../positions.ts'
import { inNative } from '../quote-assets.ts'
import { reserveOf } from '../tokens.ts'

/** A pool as of its latest event; rates are times 1e36. Amounts are base units, times unix seconds. */
export interface PoolState {
  total_staked: string
  reward_rate: string
  reward_per_token: string
  last_update_time: number
  period_finish: number
}

export interface StakingPoolRow extends PoolState {
  id: string
  contract: string
  number: string
  staking_token: string
  reward_token: string
  cooldown_seconds: number
  period_seconds: number
  total_funded: string
  total_paid: string
  staker_count: number
  created_block: number
  created_log: number
  created_at: number
  tx_hash: string
  confirmed: boolean
  /** quote / base: native coin for one base unit of each token; null without a known price. */
  staking_quote: string | null
  staking_base: string | null
  reward_quote: string | null
  reward_base: string | null
  native_usd: string | null
  /** Symbol of the native coin. */
  native_symbol: string
  clock_time: number
}

export interface StakingPoolFilter {
  /** Only pools where this token is staked. */
  token?: string | undefined
}

/** Pools, newest first. */
export async function listStakingPools(
  db: Kysely<Database>,
  args: { filter: StakingPoolFilter; limit: number; after: PositionKeyset | null },
): Promise<StakingPoolRow[]> {
  const { rows } = await buildStakingPoolList(args).execute(db)
  return rows
}

/** The statement of listStakingPools, exported to test its plan. */
export function buildStakingPoolList({
  filter: { token },
  limit,
  after,
}: {
  filter: StakingPoolFilter
  limit: number
  after: PositionKeyset | null
}): RawBuilder<StakingPoolRow> {
  return selectPools(sql`(
    select * from staking_pools
    where created_block is not null ${token === undefined ? sql`` : sql`and staking_token = ${token}`}
      and ${isBefore(after, 'created_block', 'created_log')}
    order by created_block desc, created_log desc limit ${limit}
  )`)
}

/** Throws RESOURCE_NOT_FOUND. */
export async function getStakingPool(db: Kysely<Database>, id: string): Promise<StakingPoolRow> {
  const [row] = await findStakingPools(db, [id])
  if (!row) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Staking pool', id })
  return row
}

/** The existing ones of these pools, newest first. */
export async function findStakingPools(db: Kysely<Database>, ids: readonly string[]): Promise<StakingPoolRow[]> {
  const source = sql`(select * from staking_pools where id = any(${ids}::text[]) and created_block is not null)`
  const { rows } = await selectPools(source).execute(db)
  return rows
}

const selectPools = (source: RawBuilder<unknown>) => sql<StakingPoolRow>`
  with page as materialized ${source}
  select p.*, coalesce(p.created_block <= s.finalized_number, false) as confirmed, s.quote_usd as native_usd, s.clock_time,
    s.native_symbol, ks.quote as staking_quote, ks.base as staking_base, kr.quote as reward_quote, kr.base as reward_base
  from page p ${joinChainState} ${joinPrice('ks', 'p.staking_token', sql`select staking_token from page`)}
    ${joinPrice('kr', 'p.reward_token', sql`select reward_token from page`)}
  order by p.created_block desc, p.created_log desc`

/**
 * Joins a token's price as `quote / base` native coin: 1 for the coin itself, wrapped or not; the ratio of the reserves
 * for a token launched here; null for others. `tokens`: a query of all tokens of the rows, because Citus joins a table that is
 * spread with no row of another one. Needs chain_state as `s`.
 */
function joinPrice(alias: string, token: string, tokens: RawBuilder<unknown>): RawBuilder<unknown> {
  const column = sql.ref(token)
  const of = (name: string) => sql.ref(`${alias}_launch.${name}`)
  const isCoin = sql`${column} in (${NATIVE}, s.wrapped_native)`
  return sql`left join (
    select t.address, ${inNative(reserveOf('quote'))} as quote, ${reserveOf('token')} as base
    from token_figures f join tokens t on t.id = f.token_id
    where f.token_id = any(array(select id from tokens where address = any(array(${tokens}))))
  ) ${sql.ref(`${alias}_launch`)} on ${of('address')} = ${column}
  cross join lateral (
    select case when ${isCoin} then 1 else ${of('quote')} end as quote, case when ${isCoin} then 1 else ${of('base')} end as base
  ) ${sql.ref(alias)}`
}

export interface StakingFigures {
  pools: number
  /** Positions with a stake: a wallet counts once for each pool. */
  positions: number
  /** Native base units of all stakes whose token has a known price; null if there are stakes and none has one. */
  staked_value: string | null
}

/** Figures of all pools. There are few: only the owner of a staking contract creates them. */
export async function getStakingFigures(db: Kysely<Database>): Promise<StakingFigures> {
  const { rows } = await sql<StakingFigures>`
    select count(*) as pools, coalesce(sum(staker_count), 0)::bigint as positions,
      case when coalesce(bool_or(total_staked > 0), false) and not bool_or(total_staked > 0 and value is not null) then null
        else coalesce(sum(value), 0) end as staked_value
    from (
      select p.staker_count, p.total_staked, div(p.total_staked * k.quote, nullif(k.base, 0)) as value
      from staking_pools p ${joinChainState} ${joinPrice('k', 'p.staking_token', sql`select staking_token from staking_pools`)}
      where p.created_block is not null
    ) e`.execute(db)
  return rows[0] as StakingFigures
}
