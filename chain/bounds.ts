/*
 * Bounds on values from contracts. A foreign, upgraded or hostile contract may emit any value that its event type allows. Every
 * database column can hold any value within these bounds, and sums of them. A decoder throws for a value out of bounds, and the
 * log has no effect (see docs/figures.md).
 */

/** Amounts, reserves and votes: the contracts store them in 128 bits. A sum of 10^39 of them fits numeric(78,0). */
export const MAX_AMOUNT = 2n ** 128n - 1n

/** Counters, and durations that a contract configures. */
const MAX_COUNT = 2n ** 32n - 1n

const BPS = 10_000

/** USD with USD_DECIMALS decimals: 10^15 USD. A sum of 10^15 of them fits numeric(38,8). */
const MAX_USD = 10n ** 23n

/** The last second of the year 9999: ISO 8601 has four digits for the year. */
export const MAX_TIME = 253_402_300_799n

/** Clamps unix seconds or a duration to MAX_TIME: contracts encode "never" as the largest value of the type. */
export const clampTime = (seconds: bigint): bigint => (seconds > MAX_TIME ? MAX_TIME : seconds)

/** Returns the value. Throws RangeError above MAX_COUNT. */
export function requireCount(value: bigint): bigint {
  if (value > MAX_COUNT) throw new RangeError(`${value} is no count`)
  return value
}

/** Throws RangeError if an amount exceeds MAX_AMOUNT. */
export function requireAmounts(...amounts: readonly bigint[]): void {
  for (const amount of amounts) if (amount > MAX_AMOUNT) throw new RangeError(`${amount} is no amount`)
}

/** Throws RangeError if the sum of these basis points exceeds 10,000. */
export function requireBps(...parts: readonly number[]): void {
  const sum = parts.reduce((total, part) => total + part, 0)
  if (!(sum <= BPS)) throw new RangeError(`${sum} basis points are no share`)
}

/** A USD price or value with USD_DECIMALS decimals; null if it is not positive or exceeds MAX_USD. */
export const validUsdOrNull = (usd: bigint): bigint | null => (usd > 0n && usd <= MAX_USD ? usd : null)

/** Recipients between whom a token's creator fees are split. */
export const MAX_FEE_SHARES = 10

/** Longer texts are truncated at a code point. */
export const MAX_NAME = 128
export const MAX_SYMBOL = 32
export const MAX_TITLE = 200
/** A truncated URI would name another resource: a longer one is dropped. */
const MAX_URI = 2_048

export function truncateText(text: string, length: number): string {
  if (text.length <= length) return text
  return text
    .slice(0, length)
    .toWellFormed()
    .replace(/\ufffd$/, '')
    .trimEnd()
}

export const dropLongUri = (uri: string): string => (uri.length > MAX_URI ? '' : uri)
