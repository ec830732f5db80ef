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
  const digits = ((shift > 0 ? numerator * powerOfTen(shift) : numerator) / denominator).toString()
  if (shift < 0) return digits
  let end = Math.min(DIGITS, digits.length)
  const whole = digits.length - shift
  while (end > Math.max(whole, 0) && digits[end - 1] === '0') end--
  if (whole >= end) return digits.slice(0, end).padEnd(whole, '0')
  if (whole > 0) return `${digits.slice(0, whole)}.${digits.slice(whole, end)}`
  return `0.${'0'.repeat(-whole)}${digits.slice(0, end)}`
}

/** Computing one takes as long as a division. */
const powersOfTen: bigint[] = []

function powerOfTen(exponent: number): bigint {
  powersOfTen[exponent] ??= 10n ** BigInt(exponent)
  return powersOfTen[exponent]
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
