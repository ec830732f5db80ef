import { NATIVE_DECIMALS, parseUsd, usdToNumber } from '../../chain/amounts.ts'

/** Both ends belong to it. */
export interface Bounds {
  min: number
  max: number
}

const NATIVE_UNIT = 10n ** BigInt(NATIVE_DECIMALS)

/**
 * The amounts of native coin, in base units, whose values in a token's record are within bounds in US dollars. Records round
 * values down to eight decimals (nativeToUsd), so a token is found by the very value that it shows. Null if there are none.
 */
export function toNativeBounds({ min, max }: Bounds, nativeUsd: string): Bounds | null {
  const price = parseUsd(nativeUsd)
  // Everything is worth nothing.
  if (price <= 0n) return min <= 0 ? { min: 0, max: Number.POSITIVE_INFINITY } : null
  // Amounts with at least `lowest` of value; the first amount that is worth more than `highest` is excluded.
  const lowest = min <= 0 ? 0n : (firstUsd(min) * NATIVE_UNIT + price - 1n) / price
  if (max === Number.POSITIVE_INFINITY) return { min: roundDown(lowest), max }
  const beyond = (lastUsd(max) + 1n) * NATIVE_UNIT
  const highest = (beyond + price - 1n) / price - 1n
  return highest < lowest ? null : { min: roundDown(lowest), max: roundDown(highest) }
}

const float = new Float64Array(1)
const bits = new BigUint64Array(float.buffer)

/**
 * The largest float that is not above an amount. Amounts are held so: rounded to the nearest, one that falls short of a round value
 * by a few base units would be that value.
 */
export function roundDown(amount: bigint): number {
  float[0] = Number(amount)
  if (amount > EXACT && BigInt(float[0]) > amount) bits[0]! -= 1n
  return float[0]
}

/** The least value with eight decimals that is shown as at least this number. */
function firstUsd(value: number): bigint {
  let usd = near(value)
  if (usd > EXACT) return usd
  while (usd > 0n && usdToNumber(usd - 1n) >= value) usd -= 1n
  while (usdToNumber(usd) < value) usd += 1n
  return usd
}

/** The greatest value with eight decimals that is shown as at most this number. */
function lastUsd(value: number): bigint {
  let usd = near(value)
  if (usd > EXACT) return usd
  while (usdToNumber(usd + 1n) <= value) usd += 1n
  while (usd > 0n && usdToNumber(usd) > value) usd -= 1n
  return usd
}

const USD_UNIT = 1e8
/** Above it, neighbouring values are the same number. */
const EXACT = BigInt(Number.MAX_SAFE_INTEGER)
const near = (value: number): bigint => BigInt(Math.round(value * USD_UNIT))
