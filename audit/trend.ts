import type { Row } from './findings.ts'

/*
 * The trending score, computed a second time: a volume weighs volume x 2^(minute / 180), where the fractional part of
 * the exponent is a factor of 40 binary places, rounded down. The sum is exact.
 */
const MINUTES = 180n
const PLACES = 40n

const factors = new Map<bigint, bigint>()

/** The largest integer whose 180th power is at most 2^(40 x 180 + minute), by halving. */
function findFactor(minute: bigint): bigint {
  const known = factors.get(minute)
  if (known !== undefined) return known
  let [low, high] = [1n << PLACES, 1n << (PLACES + 1n)]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (middle ** MINUTES <= 2n ** (PLACES * MINUTES + minute)) low = middle
    else high = middle
  }
  factors.set(minute, low)
  return low
}

export class TrendAudit {
  /** Weights by whole half-lives since 1970. */
  readonly #weights = new Map<bigint, bigint>()

  /** time: unix seconds. */
  add(time: number, volume: bigint): void {
    const minutes = BigInt(Math.floor(time / 60))
    const halfLives = minutes / MINUTES
    const weight = volume * findFactor(minutes % MINUTES)
    this.#weights.set(halfLives, (this.#weights.get(halfLives) ?? 0n) + weight)
  }

  /** A sum of weights, sum x 2^exponent. */
  addSum(sum: bigint, exponent: number): void {
    const halfLives = BigInt(exponent) + PLACES
    this.#weights.set(halfLives, (this.#weights.get(halfLives) ?? 0n) + sum)
  }

  /** The expected columns of token_figures. */
  expect(): Row {
    const first = [...this.#weights.keys()].reduce((a, b) => (a < b ? a : b), 1n << 62n)
    let sum = [...this.#weights].reduce((total, [at, weight]) => total + weight * 2n ** (at - first), 0n)
    if (sum === 0n) return { trend: Number.NEGATIVE_INFINITY, trend_sum: 0n, trend_exponent: 0 }
    let exponent = Number(first - PLACES)
    while (sum % 2n === 0n) {
      sum /= 2n
      exponent += 1
    }
    const digits = sum.toString(2)
    const trend = Math.log2(Number.parseInt(digits.slice(0, 60), 2)) + Math.max(digits.length - 60, 0) + exponent
    return { trend: trend - 18 * Math.log2(10), trend_sum: sum, trend_exponent: exponent }
  }
}
