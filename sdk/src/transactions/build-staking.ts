import { type AmountLike, toBigInt } from '../values.ts'
import {
  FEE_STAKING_CLAIM,
  FEE_STAKING_FUND,
  FEE_STAKING_REQUEST_UNSTAKE,
  FEE_STAKING_STAKE,
  FEE_STAKING_WITHDRAW,
} from './contracts.ts'
import { buildCall, splitId, type UnsignedTransaction } from './unsigned-transaction.ts'

/** Stakes the sender's tokens. The pool's contract needs an allowance: see buildApproval. */
export function buildStake(poolId: string, amount: AmountLike): UnsignedTransaction {
  const { contract, number } = splitId(poolId)
  return buildCall(contract, FEE_STAKING_STAKE, [number, amount])
}

/** Requests to unstake; the tokens can be withdrawn after the cooldown. A further request restarts the cooldown of all. */
export function buildUnstake(poolId: string, amount: AmountLike): UnsignedTransaction {
  const { contract, number } = splitId(poolId)
  return buildCall(contract, FEE_STAKING_REQUEST_UNSTAKE, [number, amount])
}

/** Withdraws all unstaked tokens after the cooldown. */
export function buildWithdrawal(poolId: string): UnsignedTransaction {
  const { contract, number } = splitId(poolId)
  return buildCall(contract, FEE_STAKING_WITHDRAW, [number])
}

/** Claims the sender's rewards. */
export function buildRewardClaim(poolId: string): UnsignedTransaction {
  const { contract, number } = splitId(poolId)
  return buildCall(contract, FEE_STAKING_CLAIM, [number])
}

/** Adds rewards to a pool. `rewardToken` is that of the pool: the zero address for the native coin, else it needs an allowance. */
export function buildFunding(
  poolId: string,
  amount: AmountLike,
  { rewardToken }: { rewardToken: string },
): UnsignedTransaction {
  const { contract, number } = splitId(poolId)
  const isNative = /^0x0{40}$/.test(rewardToken)
  return buildCall(contract, FEE_STAKING_FUND, [number, amount], isNative ? toBigInt(amount) : 0n)
}
