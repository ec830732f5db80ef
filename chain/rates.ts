import { NATIVE_DECIMALS, parseUsd } from './amounts.ts'
import { MAX_AMOUNT, validUsdOrNull } from './bounds.ts'

/** Decimals of a price in the native coin, and of one in another asset. */
export const RATE_DECIMALS = 36
const RATE_UNIT = 10n ** BigInt(RATE_DECIMALS)
const RATE_UNIT_NUMBER = 10 ** RATE_DECIMALS
/** 10^24 native coins for one unit. */
const MAX_RATE = 10n ** 60n

/** How the price of an asset in US dollars is found: see QUOTES. */
type UsdRoute =
  | { readonly fixed: string }
  | { readonly feed: string }
  | {
      readonly pool: string
      readonly venue: 'uniswap-v2' | 'uniswap-v3'
      /** The other asset of the pool. */
      readonly quote: string
      readonly minLiquidityUsd: string
    }

/** An asset besides the native coin in which tokens are priced. */
export interface QuoteAsset {
  address: string
  symbol: string
  decimals: number
  route: UsdRoute
  /** Launches from this block on count. */
  since: number
}

/** Prices that were read at a block, by asset: of a feed with USD_DECIMALS decimals, of a pool with RATE_DECIMALS in its other asset. */
export type ReadPrices = Readonly<Record<string, string>>

/** The value of one whole unit of an asset. */
export interface Rate {
  /** US dollars, USD_DECIMALS decimals; null if unknown. */
  usd: bigint | null
  /** Native coin, RATE_DECIMALS decimals; null if unknown. */
  native: bigint | null
}

const UNKNOWN_RATE: Rate = { usd: null, native: null }

/** A price in the native coin; null if it is not positive or out of bounds. */
export const validRateOrNull = (rate: bigint): bigint | null => (rate > 0n && rate <= MAX_RATE ? rate : null)

interface Prices {
  /** US dollars for one native coin, USD_DECIMALS decimals. */
  nativeUsd: bigint | null
  quotePrices: ReadPrices | null
}

/** The value of an asset at a block. quotes: all assets, whose routes have no circle. */
export function findRate(asset: string, quotes: ReadonlyMap<string, QuoteAsset>, prices: Prices): Rate {
  const quote = quotes.get(asset)
  if (quote === undefined) return UNKNOWN_RATE
  const { route } = quote
  const { nativeUsd } = prices
  if ('pool' in route) {
    const read = prices.quotePrices?.[asset]
    if (read === undefined) return UNKNOWN_RATE
    const base =
      route.quote === 'native' ? { usd: nativeUsd, native: RATE_UNIT } : findRate(route.quote, quotes, prices)
    const price = BigInt(read)
    return {
      usd: base.usd === null ? null : validUsdOrNull((price * base.usd) / RATE_UNIT),
      native: base.native === null ? null : validRateOrNull((price * base.native) / RATE_UNIT),
    }
  }
  const read = 'fixed' in route ? parseUsd(route.fixed) : prices.quotePrices?.[asset]
  const usd = read === undefined ? null : validUsdOrNull(BigInt(read))
  if (usd === null) return UNKNOWN_RATE
  return { usd, native: nativeUsd === null ? null : validRateOrNull((usd * RATE_UNIT) / nativeUsd) }
}

/** Powers of ten up to 10^72, as far as they have been used. */
const powers: bigint[] = []

/** 10^exponent. */
export function powerOfTen(exponent: number): bigint {
  powers[exponent] ??= 10n ** BigInt(exponent)
  return powers[exponent]
}

/** Value in base units of the native coin, rounded down; null above MAX_AMOUNT. decimals: of the amount. */
export function toNative(amount: bigint, decimals: number, rate: bigint): bigint | null {
  const value = (amount * rate) / powerOfTen(decimals + RATE_DECIMALS - NATIVE_DECIMALS)
  return value > MAX_AMOUNT ? null : value
}

/** A price in the native coin as a float for display. */
export const rateToNumber = (rate: bigint): number => Number(rate) / RATE_UNIT_NUMBER

/**
 * Brings a fraction of base units, quote per token, to whole units. Of an asset with 18 decimals on both sides it stays as it is.
 */
export function toWholeUnits(
  { quote, token }: { quote: bigint; token: bigint },
  decimals: { quote: number; token: number },
): { quote: bigint; token: bigint } {
  const shift = decimals.token - decimals.quote
  if (shift === 0) return { quote, token }
  return shift > 0 ? { quote: quote * powerOfTen(shift), token } : { quote, token: token * powerOfTen(-shift) }
}
