import type { StakingPool } from '../../chain/staking.ts'
import type { PoolState } from '../../db/queries/staking-pools.ts'

/** A row as chain/staking.ts computes with it. */
export const readPoolState = (row: PoolState): StakingPool => ({
  totalStaked: BigInt(row.total_staked),
  rewardRate: BigInt(row.reward_rate),
  rewardPerToken: BigInt(row.reward_per_token),
  lastUpdateTime: BigInt(row.last_update_time),
  periodFinish: BigInt(row.period_finish),
})

/**
 * The second that figures are as of, in unix seconds: that of the newest block, where the contract's own view functions
 * stand as well. A claim is mined later, and pays no less. A receipt may be ahead of what else is known of the chain.
 */
export const readNow = (row: Pick<PoolState, 'last_update_time'> & { clock_time: number }): number =>
  Math.max(row.clock_time, row.last_update_time)
