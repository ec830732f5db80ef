import type { Static } from '@sinclair/typebox'
import { aprPercentAt, periodFinishAt, rewardPrecision } from '../chain/staking.ts'
import type { StakingPoolRow } from '../db/queries/staking/staking-pools.ts'
import type { StakingPool } from '../schemas/staking.ts'
import { toIso, toUsd } from './format.ts'
import { rewardQuote } from './quote.ts'
import { readNow, readPoolState } from './staking-state.ts'

const DAY = 86_400n

/** A staking pool as the API serves it, as of the newest block. */
export function toStakingPool(row: StakingPoolRow): Static<typeof StakingPool> {
  const pool = readPoolState(row)
  const now = readNow(row)
  const finish = periodFinishAt(pool, BigInt(now))
  const isPaying = finish > BigInt(now)
  const value = valueStake(row)
  return {
    id: row.id,
    contract: row.contract,
    number: row.number,
    stakingToken: row.staking_token,
    rewardToken: row.reward_token,
    quote: rewardQuote(row),
    cooldownSeconds: row.cooldown_seconds,
    periodSeconds: row.period_seconds,
    totalStaked: row.total_staked,
    totalStakedUsd: value.native === null ? null : toUsd(value.native, row.native_usd),
    rewardRate: row.reward_rate,
    rewardPerDay: isPaying ? String((pool.rewardRate * DAY) / rewardPrecision) : '0',
    periodFinish: row.period_finish === 0 ? null : toIso(Number(finish)),
    aprPct: aprPercentAt(pool, value.rewards, BigInt(now)),
    totalFunded: row.total_funded,
    totalPaid: row.total_paid,
    stakerCount: row.staker_count,
    createdAt: toIso(row.created_at),
    asOf: toIso(now),
    blockNumber: row.created_block,
    txHash: row.tx_hash,
    logIndex: row.created_log,
    confirmed: row.confirmed,
  }
}

/** Value of the total stake, in native coin and in reward tokens; null if a price is unknown. */
function valueStake(row: StakingPoolRow): { native: bigint | null; rewards: bigint | null } {
  const staked = BigInt(row.total_staked)
  const native = convert(staked, row.staking_quote, row.staking_base)
  if (row.staking_token === row.reward_token) return { native, rewards: staked }
  const rewards = native === null ? null : convert(native, row.reward_base, row.reward_quote)
  return { native, rewards }
}

function convert(amount: bigint, numerator: string | null, denominator: string | null): bigint | null {
  if (numerator === null || denominator === null || BigInt(denominator) === 0n) return null
  return (amount * BigInt(numerator)) / BigInt(denominator)
}
