import { formatUnits, parseUnits } from 'viem'

/** A missing figure: unknown is never shown as 0. */
const UNKNOWN = '–'
const MINUS = '−'

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const money = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const precise = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 5 })

const signed = (value: number, text: string) => (value < 0 ? `${MINUS}${text}` : text)

/** `$12.3K`; small amounts keep their cents. */
export function formatUsd(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN
  const size = Math.abs(value)
  const text =
    size >= 1_000 ? compact.format(size) : size >= 0.01 || size === 0 ? money.format(size) : formatPrice(size)
  return signed(value, `$${text}`)
}

export const formatCount = (value: number): string => (value >= 100_000 ? compact.format(value) : grouped.format(value))

/**
 * A price with four digits. Four or more zeros after the decimal point become a subscript count, as in 0.0₅7093.
 */
export function formatPrice(price: number | null | undefined): string {
  if (price === null || price === undefined) return UNKNOWN
  if (price >= 100_000) return compact.format(price)
  if (price >= 1) return money.format(price)
  if (!(price > 0)) return '0'
  const [digits = '0', exponent] = price.toExponential(3).split('e-')
  if (exponent === undefined) return '1.00'
  const figures = digits.replace('.', '').replace(/0+$/, '')
  const zeros = Number(exponent) - 1
  if (zeros < 4) return `0.${'0'.repeat(zeros)}${figures}`
  return `0.0${String(zeros).replace(/\d/g, (digit) => String.fromCodePoint(0x2080 + Number(digit)))}${figures}`
}

/** A change in percent with its sign. */
export function formatChange(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return UNKNOWN
  const size = Math.abs(percent)
  const figure = size < 0.005 ? '0.00' : size >= 1_000 ? compact.format(size) : size.toFixed(2)
  return `${percent > 0 ? '+' : percent < 0 ? MINUS : ''}${figure}%`
}

export const formatPercent = (percent: number | null | undefined, digits = 1): string =>
  percent === null || percent === undefined ? UNKNOWN : `${percent.toFixed(digits)}%`

/** An amount in base units for display: `1,234.56`, `12.3M`. Display only, never the input of a transaction. */
export function formatAmount(base: string | bigint | null | undefined, decimals = 18): string {
  if (base === null || base === undefined) return UNKNOWN
  const value = Number(formatUnits(BigInt(base), decimals))
  const size = Math.abs(value)
  const text =
    size >= 100_000
      ? compact.format(size)
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

/** Reads what a person typed: base units, or null if it is no positive decimal number, or an ambiguous one. */
export function parseAmount(text: string, decimals = 18): bigint | null {
  const given = text.trim()
  const trimmed = given.replace(',', '.')
  if (AMBIGUOUS.test(given) || !/^\d{1,30}(\.\d*)?$|^\.\d+$/.test(trimmed)) return null
  const [whole = '0', fraction = ''] = trimmed.split('.')
  const value = parseUnits(`${whole || '0'}.${fraction.slice(0, decimals)}`, decimals)
  return value > 0n ? value : null
}

/** An exact amount as text for an input field. */
export const toInput = (base: bigint, decimals = 18): string => formatUnits(base, decimals)

/** Direction of a figure, for its colour and arrow. */
export const directionOf = (value: number | null | undefined): 'up' | 'down' | 'flat' =>
  value === null || value === undefined || Math.abs(value) < 0.005 ? 'flat' : value > 0 ? 'up' : 'down'
