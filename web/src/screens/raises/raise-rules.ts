import type { Raise } from './raise-status.tsx'

/** What the contract holds for the committers, with what was set aside for those who left and has not been paid. */
export function heldFor({ status, dissolvedAt, escrow, totalCommitted, released, refunded }: Raise): bigint {
  if (status === 'finalized' && dissolvedAt === null) return BigInt(escrow)
  return BigInt(totalCommitted) - BigInt(released) - BigInt(refunded)
}
