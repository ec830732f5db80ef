import type { StakingPool } from '../chain/staking.ts'
import type { PoolState } from '../db/queries/staking/staking-pools.ts'

/** Converts a row to the state used by chain/staking.ts. */
export const readPoolState = (row: PoolState): StakingPool => ({
  totalStaked: BigInt(row.total_staked),
  rewardRate: BigInt(row.reward_rate),
  rewardPerToken: BigInt(row.reward_per_token),
  lastUpdateTime: BigInt(row.last_update_time),
  periodFinish: BigInt(row.period_finish),
})

/**
 * Time of the figures in Unix seconds: that of the newest block, as in the contract’s view functions. A later claim pays no
 * less. A synced receipt may be newer than the indexed clock.
 */
export const readNow = (row: Pick<PoolState, 'last_update_time'> & { clock_time: number }): number =>
  Math.max(row.clock_time, row.last_update_time)
