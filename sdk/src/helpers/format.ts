import { type AmountLike, formatUnits } from '../values.ts'

/** A missing figure: unknown is never shown as 0. */
const UNKNOWN = '–'
const MINUS = '−'

const grouped = /* @__PURE__ */ new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const money = /* @__PURE__ */ new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const precise = /* @__PURE__ */ new Intl.NumberFormat('en-US', { maximumSignificantDigits: 5 })
const short = /* @__PURE__ */ new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })
/** Beyond trillions there are no letters that people know, and the compact form grows without end. */
const MAX_COMPACT = 1e15

/** `12.3K`, or `1.2e20`: at most seven characters. */
const compact = (value: number): string =>
  value < MAX_COMPACT ? short.format(value) : value.toExponential(1).replace('e+', 'e')

const signed = (value: number, text: string) => (value < 0 ? `${MINUS}${text}` : text)

/** `$12.3K`; small amounts keep their cents. */
export function formatUsd(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN
  const size = Math.abs(value)
  const text = size >= 1_000 ? compact(size) : size >= 0.01 || size === 0 ? money.format(size) : formatPrice(size)
  return signed(value, `$${text}`)
}

/** `1,234`, `123K`. */
export const formatCount = (value: number): string => (value >= 100_000 ? compact(value) : grouped.format(value))

/**
 * A price with four digits. Four or more zeros after the decimal point become a subscript count, as in 0.0₅7093.
 */
export function formatPrice(price: number | null | undefined): string {
  if (price === null || price === undefined) return UNKNOWN
  if (price >= 100_000) return compact(price)
  if (price >= 1) return money.format(price)
  if (!(price > 0)) return '0'
  const [digits = '0', exponent] = price.toExponential(3).split('e-')
  if (exponent === undefined) return '1.00'
  const figures = digits.replace('.', '').replace(/0+$/, '')
  const zeros = Number(exponent) - 1
  if (zeros < 4) return `0.${'0'.repeat(zeros)}${figures}`
  return `0.0${String(zeros).replace(/\d/g, (digit) => String.fromCodePoint(0x2080 + Number(digit)))}${figures}`
}

/** Prices of one axis. A step of it that should be 0 may be off by a rounding error, which is no price. */
export function formatPriceTicks(prices: readonly number[]): string[] {
  const least = Math.max(...prices.map(Math.abs)) * 1e-9
  return prices.map((price) => formatPrice(Math.abs(price) < least ? 0 : price))
}

/** Above this a percentage is not read, but taken in. */
const MAX_PERCENT = 999_999
const wholePercent = /* @__PURE__ */ new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** A size in percent: digits after the point up to 1,000, whole above, and `>999,999%`. */
function percentOf(size: number, digits: number): string {
  if (size > MAX_PERCENT) return `>${wholePercent.format(MAX_PERCENT)}%`
  return `${size >= 1_000 ? wholePercent.format(size) : size.toFixed(digits)}%`
}

/** A change in percent with its sign, as in `+1,610%`. */
export function formatChange(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return UNKNOWN
  const size = Math.abs(percent)
  return `${percent > 0 ? '+' : percent < 0 ? MINUS : ''}${percentOf(size < 0.005 ? 0 : size, 2)}`
}

/** From one price to another, in percent; null if one is unknown. */
export function changeOf(before: string | null, after: string | null): number | null {
  if (before === null || after === null || Number(before) === 0) return null
  return (Number(after) / Number(before) - 1) * 100
}

/** A share in percent, as in `12.3%`. */
export const formatPercent = (percent: number | null | undefined, digits = 1): string =>
  percent === null || percent === undefined ? UNKNOWN : signed(percent, percentOf(Math.abs(percent), digits))

/** Basis points as a share: `60%`, `39.50%`. */
export const formatShare = (bps: number): string => formatPercent(bps / 100, bps % 100 === 0 ? 0 : 2)

/** `1 like`, `2 likes`, `1,200 wallets`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

/** An amount in base units for display: `1,234.56`, `12.3M`. Display only, never the input of a transaction. */
export function formatAmount(base: AmountLike | null | undefined, decimals = 18): string {
  if (base === null || base === undefined) return UNKNOWN
  const value = toNumber(base, decimals)
  const size = Math.abs(value)
  const text =
    size >= 100_000
      ? compact(size)
      : size >= 1_000
        ? grouped.format(size)
        : size > 0 && size < 0.0001
          ? formatPrice(size)
          : precise.format(size)
  return signed(value, text)
}

/** An amount in base units as a number of whole units, rounded to 16 digits. Display only. */
export const toNumber = (base: AmountLike, decimals = 18): number => Number(formatUnits(base, decimals))

/** Direction of a figure, for its colour and arrow. */
export const directionOf = (value: number | null | undefined): 'up' | 'down' | 'flat' =>
  value === null || value === undefined || Math.abs(value) < 0.005 ? 'flat' : value > 0 ? 'up' : 'down'
