/*
 * What of a contract's word is believed. A contract that is foreign, upgraded or hostile may emit any value that its event
 * has room for; every figure here has room for every value within these bounds, however many of them come together. What
 * is out of them is refused: whoever reads it throws, and the log has no effect (see docs/indexer.md).
 */

/** Amounts, reserves and votes: the contracts themselves keep them in 128 bits. Sums of 10^39 of them fit numeric(78,0). */
export const MAX_AMOUNT = 2n ** 128n - 1n

/** Of what is counted one by one, and of lengths of time that a contract has chosen. */
const MAX_COUNT = 2n ** 32n - 1n

const BPS = 10_000

/** USD with USD_DECIMALS decimals: 10^15, more than there is. Sums of 10^15 of them fit numeric(38,8). */
const MAX_USD = 10n ** 23n

/** The last second of the year 9999, the last that ISO 8601 has four digits for. */
export const MAX_TIME = 253_402_300_799n

/**
 * Unix seconds, or a length of time. A contract that means never says the largest number it has: what is later than the
 * year 9999 counts as its end, which is as far.
 */
export const clampTime = (seconds: bigint): bigint => (seconds > MAX_TIME ? MAX_TIME : seconds)

/** Throws RangeError. */
export function requireCount(value: bigint): bigint {
  if (value > MAX_COUNT) throw new RangeError(`${value} is no count`)
  return value
}

/** Throws RangeError unless each of these is an amount. */
export function requireAmounts(...amounts: readonly bigint[]): void {
  for (const amount of amounts) if (amount > MAX_AMOUNT) throw new RangeError(`${amount} is no amount`)
}

/** Throws RangeError unless these, together, are a part of a whole in basis points. */
export function requireBps(...parts: readonly number[]): void {
  const sum = parts.reduce((total, part) => total + part, 0)
  if (!(sum <= BPS)) throw new RangeError(`${sum} basis points are no share`)
}

/** A price of the native coin, or what an amount of it is worth, in USD; null where it is not positive or not believed. */
export const validUsdOrNull = (usd: bigint): bigint | null => (usd > 0n && usd <= MAX_USD ? usd : null)

/** What is longer is cut, at a whole character. */
export const MAX_NAME = 128
export const MAX_SYMBOL = 32
export const MAX_TITLE = 200
/** A URI that is cut leads somewhere else: one that is longer counts as none. */
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
