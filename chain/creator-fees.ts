/** A part of a token's creator fees, in basis points. */
export interface FeeShare {
  recipient: string
  bps: number
}

const BPS = 10_000n

/**
 * What a wallet gets when a token's creator fees are paid out, as the contract computes it: each share is rounded down, and the
 * last one gets what is left. Amounts in base units; a wallet may have several shares.
 */
export function creatorFeeOf(wallet: string, amount: bigint, shares: readonly FeeShare[]): bigint {
  let [left, own] = [amount, 0n]
  for (const [index, { recipient, bps }] of shares.entries()) {
    const part = index === shares.length - 1 ? left : (amount * BigInt(bps)) / BPS
    left -= part
    if (recipient === wallet) own += part
  }
  return own
}
