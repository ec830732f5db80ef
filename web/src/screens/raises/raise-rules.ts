import type { Proposal, Raise } from './raise-status.tsx'

/** IDLE_PERIOD of the contract. */
const IDLE_MS = 180 * 86_400_000

const hasEnded = ({ endAt, asOf }: Raise): boolean => Date.parse(endAt) <= Date.parse(asOf)

/** Whether the raise can be finalized. Finalizing a failed one returns its tokens to the creator. */
export function isFinalizable(raise: Raise): boolean {
  const { status, finalizedAt } = raise
  if (finalizedAt !== null) return false
  return status === 'succeeded' || status === 'failed' || (status === 'active' && hasEnded(raise))
}

/** Whether the creator may call it off: while it is neither over nor full. */
export function isCancellable(raise: Raise): boolean {
  const isOpen = raise.status === 'upcoming' || raise.status === 'registration' || raise.status === 'active'
  return isOpen && !hasEnded(raise)
}

/** When anyone may dissolve a raise that released nothing since, in milliseconds since 1970. `executed`: its executed proposals. */
export function findIdleTime({ finalizedAt }: Raise, executed: readonly Proposal[]): number {
  const releases = executed.filter(({ kind }) => kind === 'release').map(({ executedAt }) => executedAt)
  const times = [finalizedAt, ...releases].filter((time) => time !== null).map((time) => Date.parse(time))
  return Math.max(...times) + IDLE_MS
}

/** What the contract holds for the committers, with what was set aside for those who left and has not been paid. */
export function heldFor({ status, dissolvedAt, escrow, totalCommitted, released, refunded }: Raise): bigint {
  if (status === 'finalized' && dissolvedAt === null) return BigInt(escrow)
  return BigInt(totalCommitted) - BigInt(released) - BigInt(refunded)
}
