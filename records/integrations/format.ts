import { LRUCache } from 'lru-cache'
import { type Address, formatUnits, getAddress } from 'viem'
import { NATIVE_DECIMALS } from '../../chain/amounts.ts'

/** Decimals of a price, as used by the clients of the feeds. */
export const PRICE_DECIMALS = 50

/** Adds the EIP-55 checksum; clients of the feeds compare ids case-sensitively. */
export function toChecksum(address: string): string {
  const known = checksums.get(address)
  if (known !== undefined) return known
  const checksummed = getAddress(address as Address)
  checksums.set(address, checksummed)
  return checksummed
}

/** The id of a pool: its address with checksum; an id of 32 bytes has none. */
export const toPoolId = (pool: string): string => (pool.length === 42 ? toChecksum(pool) : pool)

/** A checksum costs a hash, and one response can contain 20,000 addresses, more than viem caches. */
const checksums = new LRUCache<string, string>({ max: 50_000 })

/** Converts base units to whole coins, in plain decimal digits. */
export const toCoins = (amount: bigint | string, decimals: number = NATIVE_DECIMALS): string =>
  formatUnits(BigInt(amount), decimals)

/**
 * Price of one whole token in whole units of its quote asset, rounded down; both amounts in base units. null if it is zero or undefined.
 */
export function toPrice(
  quote: string | bigint,
  token: string | bigint,
  decimals: { quote: number; token: number },
): string | null {
  const [paid, given] = [BigInt(quote) * 10n ** BigInt(decimals.token), BigInt(token) * 10n ** BigInt(decimals.quote)]
  const price = given > 0n ? (paid * 10n ** BigInt(PRICE_DECIMALS)) / given : 0n
  return price > 0n ? formatUnits(price, PRICE_DECIMALS) : null
}

/** Absolute URL of an image; uploads are stored by path. null for none, or for an invalid URI. */
export function toImageUri(url: string | null, publicUrl: string): string | null {
  if (url === null) return null
  const whole = url.startsWith('/') ? `${publicUrl.replace(/\/$/, '')}${url}` : url
  if (!URL.canParse(whole)) return null
  const { href } = new URL(whole)
  return IS_URI.test(href) ? href : null
}

/** RFC 3986. Browsers accept more, but schema validators of clients do not. */
const IS_URI = /^[a-z][a-z0-9+.-]*:\/\/(?:[\w.~:/?#@!$&'()*+,;=-]|%[0-9a-fA-F]{2})+$/

/** The brand name as an identifier of this launchpad among exchanges. */
export const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'launchpad'
