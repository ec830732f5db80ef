// contracts/src/FeeStaking.sol in bigints, exact to the base unit. Amounts are base units, times unix seconds. Pool and
// position are as of their latest events. Tests compare this file with the deployed contract.
import { MAX_AMOUNT } from './bounds.ts'
import { toPercent } from './price.ts'

/** Scale of rewardRate and rewardPerToken. */
export const rewardPrecision = 10n ** 36n

export type StakingPool = {
  totalStaked: bigint
  /** Reward base units per second, scaled by rewardPrecision. */
  rewardRate: bigint
  /** Reward per staked base unit since the pool's creation, as of lastUpdateTime, scaled by rewardPrecision. */
  rewardPerToken: bigint
  lastUpdateTime: bigint
  /** The end of the period as of lastUpdateTime. It moves with the clock while nothing is staked. */
  periodFinish: bigint
}

export type StakingPosition = {
  staked: bigint
  /** Earned and not paid, as of the wallet's last event. */
  rewards: bigint
  /** The pool's rewardPerToken at the wallet's last event. */
  rewardPerTokenPaid: bigint
}

const secondsPerYear = 365n * 86_400n

/** Claimable reward at `time`, which must not precede lastUpdateTime. */
export function earnedAt(pool: StakingPool, position: StakingPosition, time: bigint): bigint {
  const growth = rewardPerTokenAt(pool, time) - position.rewardPerTokenPaid
  const earned = position.rewards + (position.staked * growth) / rewardPrecision
  // An inconsistent contract can yield a negative or excessive result.
  if (earned < 0n) return 0n
  return earned > MAX_AMOUNT ? MAX_AMOUNT : earned
}

function rewardPerTokenAt(pool: StakingPool, time: bigint): bigint {
  const end = time < pool.periodFinish ? time : pool.periodFinish
  if (pool.totalStaked === 0n || end <= pool.lastUpdateTime) return pool.rewardPerToken
  return pool.rewardPerToken + ((end - pool.lastUpdateTime) * pool.rewardRate) / pool.totalStaked
}

/** End of the reward stream as of `time`. An empty pool's end is the one that a stake at `time` would give it. */
export function periodFinishAt(pool: StakingPool, time: bigint): bigint {
  const waits = pool.totalStaked === 0n && pool.periodFinish > pool.lastUpdateTime && time > pool.lastUpdateTime
  return waits ? pool.periodFinish + time - pool.lastUpdateTime : pool.periodFinish
}

/** Reward base units per 365 days at the rate of `time`; 0 after the stream's end. */
export function yearlyRewardsAt(pool: StakingPool, time: bigint): bigint {
  if (periodFinishAt(pool, time) <= time) return 0n
  return (pool.rewardRate * secondsPerYear) / rewardPrecision
}

/**
 * Yearly rewards in percent of `stakedValue` (value of the total stake in reward base units), without compounding; null if that
 * is 0 or unknown.
 */
export function aprPercentAt(pool: StakingPool, stakedValue: bigint | null, time: bigint): number | null {
  return stakedValue === null ? null : toPercent(yearlyRewardsAt(pool, time), stakedValue)
}

/** The pool after the contract's `fund` with `amount` at `time`. `periodSeconds` is the pool's period. */
export function fundAt(pool: StakingPool, periodSeconds: bigint, amount: bigint, time: bigint): StakingPool {
  const finish = periodFinishAt(pool, time)
  const timeLeft = finish > time ? finish - time : 0n
  const scaledLeft = timeLeft * pool.rewardRate
  const left = scaledLeft / rewardPrecision
  const duration = (left * timeLeft + amount * periodSeconds) / (left + amount)
  return {
    totalStaked: pool.totalStaked,
    rewardRate: (scaledLeft + amount * rewardPrecision) / duration,
    rewardPerToken: rewardPerTokenAt(pool, time),
    lastUpdateTime: time,
    periodFinish: time + duration,
  }
}
