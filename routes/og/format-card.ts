import { toChangePercent } from '../../chain/price.ts'
import type { TokenRow } from '../../db/queries/tokens.ts'
import type { TokenCard } from '../../features/link-previews/card.ts'
import { fitText } from '../../features/link-previews/text.ts'
import { formatCompact, formatMoney, formatWhole } from '../../lib/text/format-number.ts'
import { toUsd } from '../../records/format.ts'

const NAME = 64
const SYMBOL = 14

/** Formats a token row for its link preview. */
export function formatCard(row: TokenRow, sparkline: readonly number[]): TokenCard {
  const change = toChangePercent(row.price, row.price_h24) ?? 0
  const marketCap = toUsd(BigInt(row.market_cap), row.quote_usd)
  return {
    kind: 'token',
    address: row.address,
    name: fitText(row.name, NAME),
    symbol: fitText(row.symbol, SYMBOL),
    status: row.status,
    // Rounded down: 100 means a completed curve.
    progress: Math.floor(Number(row.progress)),
    // Without a price feed the price is in native coin, shown without a symbol.
    price: row.quote_usd === null ? formatPrice(row.price) : `$${formatPrice(row.price * Number(row.quote_usd))}`,
    marketCap: marketCap === null ? null : `$${formatCompact(marketCap)}`,
    change: formatChange(change),
    direction: Math.abs(change) < 0.005 ? 'flat' : change > 0 ? 'up' : 'down',
    sparkline,
  }
}

/**
 * Formats a price with three or four digits. Four or more zeros after the decimal point are written as a subscript count:
 * 0.0₅709.
 */
export function formatPrice(price: number): string {
  if (price >= 1_000_000) return formatCompact(price)
  if (price >= 1) return formatMoney(price)
  if (!(price > 0)) return '0'
  const [digits, exponent] = price.toExponential(2).split('e-') as [string, string?]
  if (exponent === undefined) return '1.00'
  const figures = digits.replace('.', '').replace(/0+$/, '')
  const zeros = Number(exponent) - 1
  if (zeros < 4) return `0.${'0'.repeat(zeros)}${figures}`
  return `0.0${String(zeros).replace(/\d/g, (digit) => String.fromCodePoint(0x2080 + Number(digit)))}${figures}`
}

/** Formats a change in percent, with a sign as wide as a digit (U+2212). */
export function formatChange(percent: number): string {
  const size = Math.abs(percent)
  if (size < 0.005) return '0.00%'
  const figure = size >= 100_000 ? formatCompact(size) : size >= 1_000 ? formatWhole(size) : size.toFixed(2)
  return `${percent > 0 ? '+' : '−'}${figure}%`
}
