import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../schema.ts'
import { joinChainState } from '../chain-state.ts'
import { isBefore, type LogPosition, type PositionKeyset, positionTable } from '../positions.ts'
import type { PoolState } from './staking-pools.ts'

/** A wallet's position as of its latest event, with the pool's state, from which the earned rewards follow. */
export interface StakingPositionRow extends PoolState {
  pool: string
  wallet: string
  staking_token: string
  reward_token: string
  state_block: number
  state_log: number
  staked: string
  pending_unstake: string
  /** Unix seconds; 0 without a pending unstake. */
  withdrawable_at: number
  rewards: string
  reward_per_token_paid: string
  claimed: string
  tx_hash: string
  confirmed: boolean
  clock_time: number
  /** Symbol of the native coin. */
  native_symbol: string
}

export interface StakingPositionArgs {
  wallet: string
  /** Only the position in this pool. */
  pool?: string | undefined
  limit: number
  after: PositionKeyset | null
}

/** A wallet's positions, latest activity first. */
export async function listStakingPositions(
  db: Kysely<Database>,
  args: StakingPositionArgs,
): Promise<StakingPositionRow[]> {
  const { rows } = await buildStakingPositionList(args).execute(db)
  return rows
}

/** The statement of listStakingPositions, exported to test its plan. */
export function buildStakingPositionList({
  wallet,
  pool,
  limit,
  after,
}: StakingPositionArgs): RawBuilder<StakingPositionRow> {
  return selectPositions(sql`(
    select * from staking_positions e
    where wallet = ${wallet} ${pool === undefined ? sql`` : sql`and pool = ${pool}`}
      and ${isBefore(after, 'state_block', 'state_log')}
      and (select created_block from staking_pools where id = e.pool) is not null
    order by state_block desc, state_log desc limit ${limit}
  )`)
}

/** A wallet's positions in these pools. */
export async function findStakingPositions(
  db: Kysely<Database>,
  { wallet, pools }: { wallet: string; pools: readonly string[] },
): Promise<StakingPositionRow[]> {
  const source = sql`(select * from staking_positions where pool = any(${pools}::text[]) and wallet = ${wallet})`
  const { rows } = await selectPositions(source).execute(db)
  return rows
}

const selectPositions = (source: RawBuilder<unknown>) => sql<StakingPositionRow>`
  select e.*, p.staking_token, p.reward_token, p.total_staked, p.reward_rate, p.reward_per_token, p.last_update_time,
    p.period_finish, l.tx_hash, coalesce(e.state_block <= s.finalized_number, false) as confirmed, s.clock_time,
    s.native_symbol
  from ${source} e
  join staking_pools p on p.id = e.pool and p.created_block is not null
  join staking_events l on l.block_number = e.state_block and l.log_index = e.state_log
  ${joinChainState}
  order by e.state_block desc, e.state_log desc`

/** An event of a pool. */
export interface StakingEventRow {
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  pool: string
  kind: 'stake' | 'unstake' | 'withdraw' | 'claim' | 'fund'
  wallet: string
  amount: string
  confirmed: boolean
  reward_token: string
  /** Symbol of the native coin. */
  native_symbol: string
}

/** The events at these positions, in order. */
export async function findStakingEventsAt(
  db: Kysely<Database>,
  positions: readonly LogPosition[],
): Promise<StakingEventRow[]> {
  const { rows } = await sql<StakingEventRow>`
    select e.block_number, e.log_index, e.block_time, e.tx_hash, e.pool, e.kind, e.wallet, e.amount, p.reward_token,
      coalesce(e.block_number <= s.finalized_number, false) as confirmed, s.native_symbol
    from ${positionTable(positions)}
    join staking_events e on e.block_number = wanted.block_number and e.log_index = wanted.log_index
    join staking_pools p on p.id = e.pool
    ${joinChainState}
    order by e.block_number, e.log_index`.execute(db)
  return rows
}
