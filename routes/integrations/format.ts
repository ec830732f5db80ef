import { LRUCache } from 'lru-cache'
import { type Address, formatUnits, getAddress } from 'viem'
import { NATIVE_DECIMALS } from '../../chain/amounts.ts'

/** What the chain's own coin is called. */
export const NATIVE = { symbol: 'ETH', wrappedName: 'Wrapped Ether', wrappedSymbol: 'WETH' } as const

/** Decimals of a price: as many as the feeds' readers use. */
export const PRICE_DECIMALS = 50

/** With the checksum of EIP-55, which to the readers of feeds is part of an id. */
export function toChecksum(address: string): string {
  const known = checksums.get(address)
  if (known !== undefined) return known
  const checksummed = getAddress(address as Address)
  checksums.set(address, checksummed)
  return checksummed
}

/** A checksum is a hash, and one answer may hold twenty thousand addresses: more than the library remembers. */
const checksums = new LRUCache<string, string>({ max: 50_000 })

/** An amount in base units as whole coins, in plain decimal digits. */
export const toCoins = (amount: bigint | string, decimals: number = NATIVE_DECIMALS): string =>
  formatUnits(BigInt(amount), decimals)

/** Native coin a whole token, from base units of both, rounded down; null where there is no price above zero to tell. */
export function toPrice(quote: string | bigint, token: string | bigint, decimals: number): string | null {
  const [paid, given] = [BigInt(quote) * 10n ** BigInt(decimals), BigInt(token) * 10n ** BigInt(NATIVE_DECIMALS)]
  const price = given > 0n ? (paid * 10n ** BigInt(PRICE_DECIMALS)) / given : 0n
  return price > 0n ? formatUnits(price, PRICE_DECIMALS) : null
}

/** A picture's URL as anybody can fetch it: an upload is stored by its path. null for none, or for what is no URI. */
export function toImageUri(url: string | null, publicUrl: string): string | null {
  if (url === null) return null
  const whole = url.startsWith('/') ? `${publicUrl.replace(/\/$/, '')}${url}` : url
  if (!URL.canParse(whole)) return null
  const { href } = new URL(whole)
  return IS_URI.test(href) ? href : null
}

/** RFC 3986: what browsers put up with beyond it, a schema's validator refuses. */
const IS_URI = /^[a-z][a-z0-9+.-]*:\/\/(?:[\w.~:/?#@!$&'()*+,;=-]|%[0-9a-fA-F]{2})+$/

/** The service's name as an identifier: what its own curve is called among other exchanges. */
export const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'launchpad'
