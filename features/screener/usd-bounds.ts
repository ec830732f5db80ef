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
export function toNativeBounds({ min, max }: Bounds, quoteUsd: string): Bounds | null {
  const price = parseUsd(quoteUsd)
  // Everything is worth nothing.
  if (price <= 0n) return min <= 0 ? { min: 0, max: Number.POSITIVE_INFINITY } : null
  // Amounts with at least `lowest` of value; the first amount that is worth more than `highest` is excluded.
  const lowest = min <= 0 ? 0n : (firstUsd(min) * NATIVE_UNIT + price - 1n) / price
  if (max === Number.POSITIVE_INFINITY) return { min: Number(lowest), max }
  const beyond = (lastUsd(max) + 1n) * NATIVE_UNIT
  const highest = (beyond + price - 1n) / price - 1n
  return highest < lowest ? null : { min: Number(lowest), max: Number(highest) }
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
