// Time-dependent state of raises and proposals, as in contracts/src/RaiseSale.sol and Raises.sol. Amounts are base units, times
// unix seconds. Tests compare this file with the deployed contract.

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

export const proposalStates = ['pending', 'active', 'defeated', 'succeeded', 'executed', 'cancelled'] as const
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
  quorum: bigint
  forVotes: bigint
  againstVotes: bigint
  abstainVotes: bigint
  executed: boolean
  cancelled: boolean
}

/** Totals of a raise, in base units. `released`: paid out by proposals. */
export type RaiseSums = { tokenAmount: bigint; totalCommitted: bigint; released: bigint }

/**
 * 'succeeded': goal reached, not finalized yet. A failed raise stays 'failed' after finalization. Any input has exactly one
 * status, the same as in SQL (db/queries/raises.ts).
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

/** Dissolving a raise at `dissolvedAt` cancels its proposals that are undecided, or passed and not executed. */
export function proposalStateAt(proposal: ProposalClock, dissolvedAt: bigint | null, time: bigint): ProposalState {
  if (proposal.executed) return 'executed'
  if (proposal.cancelled) return 'cancelled'
  const quorate = proposal.forVotes + proposal.abstainVotes >= proposal.quorum
  const passed = quorate && proposal.forVotes > proposal.againstVotes
  if (dissolvedAt !== null && (passed || dissolvedAt < proposal.voteEnd)) return 'cancelled'
  if (time < proposal.voteStart) return 'pending'
  if (time < proposal.voteEnd) return 'active'
  return passed ? 'succeeded' : 'defeated'
}

/** Tokens for a commitment to a finalized raise; 0 if the total is 0. */
export function tokenShare(sums: RaiseSums, committed: bigint): bigint {
  if (sums.totalCommitted === 0n) return 0n
  return (sums.tokenAmount * committed) / sums.totalCommitted
}

/** Refund of a commitment to a dissolved raise, and the tokens returned for it. */
export function dissolvedRefund(sums: RaiseSums, committed: bigint): { amount: bigint; tokensReturned: bigint } {
  const escrow = sums.totalCommitted - sums.released
  if (sums.totalCommitted === 0n || escrow < 0n) return { amount: 0n, tokensReturned: 0n }
  const product = tokenShare(sums, committed) * escrow
  return {
    amount: (committed * escrow) / sums.totalCommitted,
    tokensReturned: (product + sums.totalCommitted - 1n) / sums.totalCommitted,
  }
}
