import { formatUnits, parseUnits } from 'viem'

/** A missing figure: unknown is never shown as 0. */
const UNKNOWN = '–'
const MINUS = '−'

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const money = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const precise = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 5 })
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })
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
const wholePercent = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

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

export const formatPercent = (percent: number | null | undefined, digits = 1): string =>
  percent === null || percent === undefined ? UNKNOWN : signed(percent, percentOf(Math.abs(percent), digits))

/** Basis points as a share: `60%`, `39.50%`. */
export const formatShare = (bps: number): string => formatPercent(bps / 100, bps % 100 === 0 ? 0 : 2)

/** `1 like`, `2 likes`, `1,200 wallets`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

/** An amount in base units for display: `1,234.56`, `12.3M`. Display only, never the input of a transaction. */
export function formatAmount(base: string | bigint | null | undefined, decimals = 18): string {
  if (base === null || base === undefined) return UNKNOWN
  const value = Number(formatUnits(BigInt(base), decimals))
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

export const toNumber = (base: string | bigint, decimals = 18): number => Number(formatUnits(BigInt(base), decimals))

/** 1,000 or 12,345,678: some people mean thousands by it, others decimals. */
const AMBIGUOUS = /^[1-9]\d{0,2}(,\d{3})+$/
/** Digits before the point; more than any balance has. */
const MAX_DIGITS = 30

export interface Currency {
  symbol: string
  decimals: number
}

export interface ReadAmount {
  /** Base units; null if the text is no amount. */
  amount: bigint | null
  /** Why the amount cannot be sent; null for an empty text. */
  problem: string | null
  /** Whether the problem may be over with the next digit. */
  isUnfinished?: boolean
}

/** Reads an amount of a token or coin, which `balance` limits if it is known; `holder` begins the sentence that says so. */
export function readAmount(
  text: string,
  { symbol, decimals }: Currency,
  balance?: bigint,
  holder = 'You have',
): ReadAmount {
  const none = (problem: string | null, isUnfinished = false) => ({ amount: null, problem, isUnfinished })
  const given = text.trim()
  const number = given.replace(',', '.')
  const [whole = '', fraction = ''] = number.split('.')
  if (given === '') return none(null)
  if (given === '.' || given === ',') return none('Enter a number, such as 0.5.', true)
  if (AMBIGUOUS.test(given)) return none(`Write ${given.replaceAll(',', '')} without commas, or use a decimal point.`)
  if (/^[-\u2212]/.test(given)) return none('An amount cannot be negative.')
  if (!/^\d*(\.\d*)?$/.test(number)) return none(`“${shortenText(given)}” is not a number. Enter one such as 0.5.`)
  if (fraction.length > decimals) return none(`${symbol} has at most ${countOf(decimals, 'decimal')}.`)
  if (whole.length > MAX_DIGITS) return none('This amount is too large.')
  const amount = parseUnits(`${whole || '0'}.${fraction}`, decimals)
  if (amount === 0n) return none('Enter an amount above zero.', true)
  if (balance !== undefined && amount > balance)
    return { amount, problem: `${holder} ${formatAmount(balance, decimals)} ${symbol}, less than this.` }
  return { amount, problem: null }
}

const shortenText = (text: string) => (text.length > 20 ? `${text.slice(0, 20)}…` : text)

/** An exact amount as text for an input field. */
export const toInput = (base: bigint, decimals = 18): string => formatUnits(base, decimals)

/** Direction of a figure, for its colour and arrow. */
export const directionOf = (value: number | null | undefined): 'up' | 'down' | 'flat' =>
  value === null || value === undefined || Math.abs(value) < 0.005 ? 'flat' : value > 0 ? 'up' : 'down'
