import { NATIVE_DECIMALS } from '../../chain/amounts.ts'

/**
 * The trending score: each trade counts with its volume, and its weight halves every HALF_LIFE seconds. Decay is
 * forward (Cormode, Shkapenyuk, Srivastava, Xu 2009): a trade at time t weighs volume x 2^(t / HALF_LIFE), which never
 * changes, so scores fade and keep their order without updates.
 *
 * Volume is linear, so splitting a trade gains nothing. Times are rounded down to minutes, a whole number of which
 * makes a half-life: weights are integers times powers of two, so their sum is exact in any order, and an undo restores
 * it.
 */
export const HALF_LIFE = 3 * 3_600

const MINUTE = 60
const STEPS = HALF_LIFE / MINUTE
const FACTOR_BITS = 40

/**
 * sum x 2^exponent, in base units of the native coin; sum is odd, or 0 with the exponent 0, so that equal scores are
 * equal rows.
 */
export interface Trend {
  sum: bigint
  exponent: number
}

export const NO_TREND: Trend = { sum: 0n, exponent: 0 }

/** For each minute of a half-life the largest integer not above 2^(FACTOR_BITS + minute / STEPS). */
const factors = Array.from({ length: STEPS }, (_, step) => {
  const power = (root: bigint) => root ** BigInt(STEPS)
  const limit = 1n << BigInt(FACTOR_BITS * STEPS + step)
  // The float is within 1 of the result.
  let factor = BigInt(Math.floor(2 ** (FACTOR_BITS + step / STEPS)))
  while (power(factor) > limit) factor -= 1n
  while (power(factor + 1n) <= limit) factor += 1n
  return factor
})

/** Sums the weights of volumes (base units, negative to subtract) by minute (unix seconds of its start). */
export function weighMinutes(volumes: ReadonlyMap<number, bigint>): Trend {
  let lowest = Number.POSITIVE_INFINITY
  for (const minute of volumes.keys()) lowest = Math.min(lowest, Math.floor(minute / HALF_LIFE))
  let sum = 0n
  for (const [minute, volume] of volumes) {
    const weight = volume * (factors[(minute % HALF_LIFE) / MINUTE] ?? 0n)
    sum += weight << BigInt(Math.floor(minute / HALF_LIFE) - lowest)
  }
  return normalize(sum, lowest - FACTOR_BITS)
}

export function addTrends(a: Trend, b: Trend): Trend {
  if (a.sum === 0n) return b
  if (b.sum === 0n) return a
  const lowest = Math.min(a.exponent, b.exponent)
  const raise = ({ sum, exponent }: Trend) => sum << BigInt(exponent - lowest)
  return normalize(raise(a) + raise(b), lowest)
}

function normalize(sum: bigint, exponent: number): Trend {
  if (sum === 0n) return NO_TREND
  const zeros = (sum & -sum).toString(2).length - 1
  return { sum: sum >> BigInt(zeros), exponent: exponent + zeros }
}

/** The sort key of lists: log2 of the score in native coins; -Infinity for 0. Equal scores give equal floats. */
export function toTrendOrder({ sum, exponent }: Trend): number {
  if (sum <= 0n) return Number.NEGATIVE_INFINITY
  const shift = Math.max(0, sum.toString(16).length * 4 - 64)
  return Math.log2(Number(sum >> BigInt(shift))) - Math.log2(10 ** NATIVE_DECIMALS) + shift + exponent
}
