// Time-dependent state of raises and proposals, as in contracts/src/RaiseSale.sol and Raises.sol. Amounts are base units, times
// unix seconds. Tests compare this file with the deployed contract.

import { subtract } from './amounts.ts'

export const raiseStatuses = [
  'upcoming',
  'registration',
  'active',
  'succeeded',
  'failed',
  'finalized',
  'cancelled',
] as const
export type RaiseStatus = (typeof raiseStatuses)[number]

export const proposalStates = [
  'pending',
  'active',
  'defeated',
  'succeeded',
  'executed',
  'cancelled',
  'expired',
] as const
export type ProposalState = (typeof proposalStates)[number]

/** The contract's enums start with None, which is never stored. */
export const raiseStatusOf = (code: number): RaiseStatus | undefined => raiseStatuses[code - 1]
export const proposalStateOf = (code: number): ProposalState | undefined => proposalStates[code - 1]

export type RaiseClock = {
  registrationRequired: boolean
  registrationStart: bigint
  startAt: bigint
  endAt: bigint
  goalMin: bigint
  goalMax: bigint
  totalCommitted: bigint
  finalized: boolean
  cancelled: boolean
}

export type ProposalClock = {
  voteStart: bigint
  /** The first second at which votes are no longer accepted. */
  voteEnd: bigint
  /** The first second at which a proposal that passed can no longer be executed. */
  expiresAt: bigint
  quorum: bigint
  forVotes: bigint
  againstVotes: bigint
  abstainVotes: bigint
  executed: boolean
  cancelled: boolean
}

/**
 * Totals of a raise, in base units. `released`: paid out by proposals. `exitedWeight`: commitments of wallets that left;
 * `exitedAmount`: set aside for them.
 */
export type RaiseSums = {
  tokenAmount: bigint
  totalCommitted: bigint
  released: bigint
  exitedWeight: bigint
  exitedAmount: bigint
}

/**
 * 'succeeded': goal reached, not finalized yet. A failed raise stays 'failed' after finalization. Any input has exactly one
 * status, the same as in SQL (db/queries/raises/raises.ts).
 */
export function raiseStatusAt(raise: RaiseClock, time: bigint): RaiseStatus {
  if (raise.cancelled) return 'cancelled'
  if (raise.finalized || raise.totalCommitted >= raise.goalMax || time >= raise.endAt) {
    if (raise.totalCommitted < raise.goalMin) return 'failed'
    return raise.finalized ? 'finalized' : 'succeeded'
  }
  if (time >= raise.startAt) return 'active'
  return raise.registrationRequired && time >= raise.registrationStart ? 'registration' : 'upcoming'
}

/** Dissolving a raise at `dissolvedAt` cancels its proposals that are undecided, or passed and could be executed. */
export function proposalStateAt(proposal: ProposalClock, dissolvedAt: bigint | null, time: bigint): ProposalState {
  if (proposal.executed) return 'executed'
  if (proposal.cancelled) return 'cancelled'
  const quorate = proposal.forVotes + proposal.abstainVotes >= proposal.quorum
  const passed = quorate && proposal.forVotes > proposal.againstVotes
  if (dissolvedAt !== null && dissolvedAt < (passed ? proposal.expiresAt : proposal.voteEnd)) return 'cancelled'
  if (time < proposal.voteStart) return 'pending'
  if (time < proposal.voteEnd) return 'active'
  if (!passed) return 'defeated'
  return time < proposal.expiresAt ? 'succeeded' : 'expired'
}

/** Tokens for a commitment to a finalized raise; 0 if the total is 0. */
export function tokenShare(sums: RaiseSums, committed: bigint): bigint {
  if (sums.totalCommitted === 0n) return 0n
  return (sums.tokenAmount * committed) / sums.totalCommitted
}

/** What a raise still holds for wallets that have not left it; 0 if the sums contradict each other. */
export function escrowOf({ totalCommitted, released, exitedAmount }: Omit<RaiseSums, 'tokenAmount'>): bigint {
  return subtract(totalCommitted, released + exitedAmount)
}

/** Commitments of wallets that have not left: they share the escrow, and vote. */
export function weightOf({ totalCommitted, exitedWeight }: Omit<RaiseSums, 'tokenAmount'>): bigint {
  return subtract(totalCommitted, exitedWeight)
}

/**
 * Share of a commitment in what is unreleased, which an exit sets aside and a dissolution refunds, and the tokens that
 * are given up for it.
 */
export function escrowShare(sums: RaiseSums, committed: bigint): { amount: bigint; tokensGivenUp: bigint } {
  const [escrow, weight] = [escrowOf(sums), weightOf(sums)]
  if (weight === 0n) return { amount: 0n, tokensGivenUp: 0n }
  return {
    amount: (committed * escrow) / weight,
    tokensGivenUp: (tokenShare(sums, committed) * escrow + weight - 1n) / weight,
  }
}

/** What a release pays: the proposed amount shrinks with the weight that has left since. */
export function releasedBy(amount: bigint, totalWeight: bigint, sums: Omit<RaiseSums, 'tokenAmount'>): bigint {
  return totalWeight === 0n ? 0n : (amount * weightOf(sums)) / totalWeight
}

/** What limits releases. `releasedInPeriod`: since the last pause of a `releasePeriod` between two releases. */
export type ReleaseLimit = {
  releaseBps: bigint
  /** Seconds. */
  releasePeriod: bigint
  /** Of the finalization, until something is released. */
  lastReleaseAt: bigint
  releasedInPeriod: bigint
}

/** The most that a release can pay at `time` from a finalized raise that is not dissolved. */
export function releasableAt(sums: Omit<RaiseSums, 'tokenAmount'>, limit: ReleaseLimit, time: bigint): bigint {
  const released = time >= limit.lastReleaseAt + limit.releasePeriod ? 0n : limit.releasedInPeriod
  const available = subtract((weightOf(sums) * limit.releaseBps) / 10_000n, released)
  const escrow = escrowOf(sums)
  if (escrow < available) return escrow
  return available
}
