import { zeroAddress } from 'viem'
import { NATIVE_DECIMALS, nativeToUsd, parseUsd, usdToNumber } from '../chain/amounts.ts'
import { formatRatio } from '../chain/price.ts'
import { powerOfTen, RATE_DECIMALS, toNative, toWholeUnits } from '../chain/rates.ts'
import type { QuoteAssetRow } from '../db/queries/quote-assets.ts'

/** The asset of a pool's rewards, if it is the native coin. */
export const rewardQuote = (row: { reward_token: string; native_symbol: string }) =>
  row.reward_token === zeroAddress ? nativeQuote(row.native_symbol) : null

/** The native coin as the asset in which a record's amounts are counted. */
export const nativeQuote = (symbol: string) => ({ address: zeroAddress, symbol, decimals: NATIVE_DECIMALS })

interface QuotedRow {
  /** null: the native coin. */
  quote: QuoteAssetRow | null
}

/** The asset in which the amounts of a token are counted. */
export const toQuote = ({ quote, native_symbol }: QuotedRow & { native_symbol: string }) =>
  quote === null
    ? nativeQuote(native_symbol)
    : { address: quote.address, symbol: quote.symbol, decimals: quote.decimals }

/** The price of one whole token in its quote asset and in native coin, by a fraction in base units. rate: that of the price. */
export function toPrices(
  { quote, decimals }: QuotedRow & { decimals: number },
  reserves: { quote: bigint; token: bigint },
  rate: string | null,
): { priceNative: string | null; priceQuote: string | null } {
  const whole = toWholeUnits(reserves, { quote: quote?.decimals ?? NATIVE_DECIMALS, token: decimals })
  const priceQuote = formatRatio(whole.quote, whole.token)
  if (quote === null) return { priceNative: priceQuote, priceQuote }
  const priceNative =
    rate === null ? null : formatRatio(whole.quote * BigInt(rate), whole.token * powerOfTen(RATE_DECIMALS))
  return { priceNative, priceQuote }
}

/** US dollars for one whole unit of the quote asset; null if unknown. */
export const usdOf = ({ quote, native_usd }: QuotedRow & { native_usd: string | null }): string | null =>
  quote === null ? native_usd : quote.usd

/** The current value of an amount of the quote asset, USD_DECIMALS decimals; null if unknown. */
export function valueInUsd(row: QuotedRow & { native_usd: string | null }, amount: bigint): bigint | null {
  const usd = usdOf(row)
  if (usd === null) return null
  return row.quote === null
    ? nativeToUsd(amount, parseUsd(usd))
    : (amount * parseUsd(usd)) / powerOfTen(row.quote.decimals)
}

/** The same as a number. */
export function toUsdNumber(row: QuotedRow & { native_usd: string | null }, amount: bigint): number | null {
  const value = valueInUsd(row, amount)
  return value === null ? null : usdToNumber(value)
}

/** The current value of an amount of the quote asset in base units of the native coin; null if unknown. */
export function valueInNative({ quote }: QuotedRow, amount: bigint): bigint | null {
  if (quote === null) return amount
  return quote.native === null ? null : toNative(amount, quote.decimals, BigInt(quote.native))
}

/** The current market cap in US dollars: price x total supply. */
export function toMarketCapUsd(
  row: QuotedRow & { native_usd: string | null; total_supply: string },
  { quote, token }: { quote: bigint; token: bigint },
): number | null {
  return toUsdNumber(row, token === 0n ? 0n : (quote * BigInt(row.total_supply)) / token)
}
