const DIGITS = 36

/**
 * numerator / denominator as a decimal string: up to 36 significant digits, rounded down, no exponent, no trailing zeros. null
 * if the denominator is 0.
 */
export function formatRatio(numerator: bigint, denominator: bigint): string | null {
  if (denominator === 0n) return null
  if (numerator === 0n) return '0'
  // The quotient has DIGITS or DIGITS + 1 digits; `shift` of them are decimals.
  const shift = DIGITS - (numerator.toString().length - denominator.toString().length)
  const scaled = shift >= 0 ? (numerator * 10n ** BigInt(shift)) / denominator : numerator / denominator
  const digits = scaled.toString()
  if (shift < 0) return digits
  const kept = digits.slice(0, DIGITS).padEnd(digits.length, '0')
  const padded = kept.padStart(shift + 1, '0')
  const whole = padded.slice(0, padded.length - shift)
  const fraction = padded.slice(padded.length - shift).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** part / whole in percent, six decimals; null if the whole is 0. */
export function toPercent(part: bigint, whole: bigint): number | null {
  if (whole === 0n) return null
  return Number((part * 100_000_000n) / whole) / 1_000_000
}

/** Price change in percent, six decimals; null if the earlier price is unknown or 0. */
export function toChangePercent(now: number, then: number | null): number | null {
  if (then === null || then === 0) return null
  return Math.round((now / then - 1) * 100_000_000) / 1_000_000
}
