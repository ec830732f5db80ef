/** Bytes in hexadecimal. */
export type Hex = `0x${string}`
/** An address of 20 bytes; lower-case in responses. */
export type Address = `0x${string}`
/** A hash of 32 bytes. */
export type Hash = `0x${string}`

declare const brand: unique symbol
/** An unsigned integer in base units, in decimal digits. */
export type Amount = string & { readonly [brand]: 'unsigned' }
/** An integer in base units, in decimal digits, with a minus sign if it is negative. */
export type SignedAmount = string & { readonly [brand]: 'unsigned' | 'signed' }
/** A decimal number at full precision, such as a price; never in exponent form. */
export type Decimal = string & { readonly [brand]: 'decimal' }

/** Amounts that functions accept: a bigint, an amount of a response, or decimal digits. */
export type AmountLike = bigint | string

const BPS = 10_000n

/** Reads an amount. Throws a SyntaxError unless it is an integer in decimal digits. */
export function toBigInt(amount: AmountLike): bigint {
  if (typeof amount === 'bigint') return amount
  if (!/^-?\d+$/.test(amount)) throw new SyntaxError(`Not an integer in decimal digits: ${amount}`)
  return BigInt(amount)
}

/**
 * Writes an amount of base units as a decimal number of whole units: `formatUnits('1500000000000000000', 18)` is `1.5`. `digits`
 * limits the decimals, and further ones are cut off. The result has no trailing zeros.
 */
export function formatUnits(amount: AmountLike, decimals: number, { digits = decimals } = {}): string {
  const value = toBigInt(amount)
  const text = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const point = text.length - decimals
  const fraction = text.slice(point).slice(0, Math.max(0, digits)).replace(/0+$/, '')
  const number = fraction ? `${text.slice(0, point)}.${fraction}` : text.slice(0, point)
  return value < 0n && /[1-9]/.test(number) ? `-${number}` : number
}

/**
 * Reads a decimal number of whole units as base units: `parseUnits('1.5', 18)` is 1500000000000000000n. Throws a SyntaxError for
 * anything but an unsigned decimal number, and a RangeError for more decimals than the unit has.
 */
export function parseUnits(text: string, decimals: number): bigint {
  const [, whole = '', fraction = ''] = /^(\d*)(?:\.(\d*))?$/.exec(text.trim()) ?? []
  if (whole === '' && fraction === '') throw new SyntaxError(`Not a decimal number: ${text}`)
  const significant = fraction.replace(/0+$/, '')
  if (significant.length > decimals) throw new RangeError(`${text} has more than ${decimals} decimals`)
  return BigInt(whole + significant.padEnd(decimals, '0'))
}

/** The least output to accept: `amount` less `slippageBps` basis points, rounded down. */
export function applySlippage(amount: AmountLike, slippageBps: number): bigint {
  if (!Number.isInteger(slippageBps) || slippageBps < 0 || slippageBps > 10_000)
    throw new RangeError(`slippageBps must be an integer from 0 to 10000: ${slippageBps}`)
  return (toBigInt(amount) * (BPS - BigInt(slippageBps))) / BPS
}

/** Whether a value is an address, in any letter case. */
export function isAddress(value: unknown): value is Address {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
}
