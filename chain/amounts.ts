import { USD_DECIMALS } from './rpc/client.ts'

/** Decimals of the native coin. */
export const NATIVE_DECIMALS = 18

const SCALE_DIGITS = 36
const SCALE = 10n ** BigInt(SCALE_DIGITS)
const ENOUGH_DIGITS = 10n ** 17n
const NATIVE_UNIT = 10n ** BigInt(NATIVE_DECIMALS)
/** One US dollar with USD_DECIMALS decimals. */
export const USD_UNIT = 10 ** USD_DECIMALS

/** numerator / denominator as a float for display; 0 if the denominator is 0. Deterministic. */
export function ratioToNumber(numerator: bigint, denominator: bigint): number {
  if (denominator === 0n) return 0
  const scaled = (numerator * SCALE) / denominator
  // A quotient this small has too few significant digits in `scaled`.
  return scaled < ENOUGH_DIGITS ? Number(numerator) / Number(denominator) : Number(scaled) / 10 ** SCALE_DIGITS
}

/** Subtraction that saturates at 0: an inconsistent contract may report a deduction above the amount. */
export const subtract = (amount: bigint, taken: bigint): bigint => (amount > taken ? amount - taken : 0n)

/** USD value (USD_DECIMALS decimals, rounded down) of an amount of the native coin in base units. */
export function nativeToUsd(amount: bigint, nativeUsd: bigint): bigint {
  return (amount * nativeUsd) / NATIVE_UNIT
}

/** A USD price with USD_DECIMALS decimals as a float for display. */
export function usdToNumber(usd: bigint): number {
  return Number(usd) / USD_UNIT
}

/** "3000.00000000" -> 300000000000n: a numeric(_, 8) column as an integer with USD_DECIMALS decimals. */
export function parseUsd(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  const digits = BigInt(whole.replace('-', '') + fraction.padEnd(USD_DECIMALS, '0').slice(0, USD_DECIMALS))
  return text.startsWith('-') ? -digits : digits
}

/** The inverse of parseUsd. */
export function formatUsd(usd: bigint): string {
  const sign = usd < 0n ? '-' : ''
  const digits = (usd < 0n ? -usd : usd).toString().padStart(USD_DECIMALS + 1, '0')
  return `${sign}${digits.slice(0, -USD_DECIMALS)}.${digits.slice(-USD_DECIMALS)}`
}
