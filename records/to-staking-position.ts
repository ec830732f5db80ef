import type { Static } from '@sinclair/typebox'
import { earnedAt } from '../chain/staking.ts'
import type { StakingPositionRow } from '../db/queries/staking/staking-positions.ts'
import type { StakingPosition } from '../schemas/staking.ts'
import { toIso } from './format.ts'
import { rewardQuote } from './quote.ts'
import { readNow, readPoolState } from './staking-state.ts'

/** A staking position as the API serves it, as of the newest block. */
export function toStakingPosition(row: StakingPositionRow): Static<typeof StakingPosition> {
  const now = readNow(row)
  const position = {
    staked: BigInt(row.staked),
    rewards: BigInt(row.rewards),
    rewardPerTokenPaid: BigInt(row.reward_per_token_paid),
  }
  return {
    poolId: row.pool,
    wallet: row.wallet,
    stakingToken: row.staking_token,
    rewardToken: row.reward_token,
    quote: rewardQuote(row),
    staked: row.staked,
    pendingUnstake: row.pending_unstake,
    withdrawableAt: row.withdrawable_at === 0 ? null : toIso(row.withdrawable_at),
    earned: String(earnedAt(readPoolState(row), position, BigInt(now))),
    claimed: row.claimed,
    asOf: toIso(now),
    blockNumber: row.state_block,
    txHash: row.tx_hash,
    logIndex: row.state_log,
    confirmed: row.confirmed,
  }
}
