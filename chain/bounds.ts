/*
 * What of a contract's word is believed. A contract that is foreign, upgraded or hostile may emit any value that its event
 * has room for; every figure here has room for every value within these bounds, however many of them come together. What
 * is out of them is refused: whoever reads it throws, and the log has no effect (see docs/indexer.md).
 */

/** Amounts, reserves and votes: the contracts themselves keep them in 128 bits. Sums of 10^39 of them fit numeric(78,0). */
export const MAX_AMOUNT = 2n ** 128n - 1n

/** The last second of the year 9999, the last that ISO 8601 has four digits for. */
export const MAX_TIME = 253_402_300_799n

/**
 * Unix seconds, or a length of time. A contract that means never says the largest number it has: what is later than the
 * year 9999 counts as its end, which is as far.
 */
export const clampTime = (seconds: bigint): bigint => (seconds > MAX_TIME ? MAX_TIME : seconds)
