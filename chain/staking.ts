// The staking contract's accounting, to the last unit: contracts/src/FeeStaking.sol in bigints. Amounts are base units,
// times unix seconds. Pool and position are as their latest events left them (of any account for the pool, of its own
// for the position). Tests hold this file against the deployed contract.
import { MAX_AMOUNT } from './bounds.ts'
import { toPercent } from './price.ts'

/** The scale of rewardRate and rewardPerToken. */
export const rewardPrecision = 10n ** 36n

export type StakingPool = {
  totalStaked: bigint
  /** Reward units a second, times rewardPrecision. */
  rewardRate: bigint
  /** What one staked unit has earned since the pool began, as of lastUpdateTime, times rewardPrecision. */
  rewardPerToken: bigint
  lastUpdateTime: bigint
  /** As of lastUpdateTime: it moves away while nothing is staked. */
  periodFinish: bigint
}

export type StakingPosition = {
  staked: bigint
  /** Earned until the account's last event, and not paid. */
  rewards: bigint
  /** The pool's rewardPerToken in the account's last event. */
  rewardPerTokenPaid: bigint
}

const secondsPerYear = 365n * 86_400n

/** What the position could claim at `time`, which must not precede lastUpdateTime. */
export function earnedAt(pool: StakingPool, position: StakingPosition, time: bigint): bigint {
  const growth = rewardPerTokenAt(pool, time) - position.rewardPerTokenPaid
  const earned = position.rewards + (position.staked * growth) / rewardPrecision
  // A contract that contradicts itself comes to less than nothing, or to more than there can be.
  if (earned < 0n) return 0n
  return earned > MAX_AMOUNT ? MAX_AMOUNT : earned
}

function rewardPerTokenAt(pool: StakingPool, time: bigint): bigint {
  const end = time < pool.periodFinish ? time : pool.periodFinish
  if (pool.totalStaked === 0n || end <= pool.lastUpdateTime) return pool.rewardPerToken
  return pool.rewardPerToken + ((end - pool.lastUpdateTime) * pool.rewardRate) / pool.totalStaked
}

/** When the stream ends if nothing happens after `time`; of a pool where nobody stakes, if somebody did right then. */
export function periodFinishAt(pool: StakingPool, time: bigint): bigint {
  const waits = pool.totalStaked === 0n && pool.periodFinish > pool.lastUpdateTime && time > pool.lastUpdateTime
  return waits ? pool.periodFinish + time - pool.lastUpdateTime : pool.periodFinish
}

/** Reward units that the pool would pay in 365 days at the rate of `time`: 0 once the stream has ended. */
export function yearlyRewardsAt(pool: StakingPool, time: bigint): bigint {
  if (periodFinishAt(pool, time) <= time) return 0n
  return (pool.rewardRate * secondsPerYear) / rewardPrecision
}

/**
 * Yearly rewards in percent of what is staked, without compounding. `stakedValue` is the value of all that is staked, in
 * units of the reward; null where that is 0 or not known.
 */
export function aprPercentAt(pool: StakingPool, stakedValue: bigint | null, time: bigint): number | null {
  return stakedValue === null ? null : toPercent(yearlyRewardsAt(pool, time), stakedValue)
}

/** The pool after `amount` of reward was added at `time`: the contract's `fund`. `periodSeconds` is the pool's. */
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
