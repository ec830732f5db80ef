import { formatUnits } from 'viem'
import { toChangePercent, toPercent } from '../../chain/price.ts'
import type { TraderRow } from '../../db/queries/forensics/top-traders.ts'
import type { TokenRow } from '../../db/queries/tokens.ts'
import type { ProfitCard, TokenCard, TokenHead } from '../../features/link-previews/card.ts'
import { fitText, shortenAddress } from '../../features/link-previews/text.ts'
import { formatCompact, formatMoney, formatWhole } from '../../lib/text/format-number.ts'
import { readReserves } from '../../records/launchpad.ts'
import { toMarketCapUsd, toQuote, usdOf } from '../../records/quote.ts'
import { profitOf, valueRow } from '../../records/value-holding.ts'

const NAME = 64
const SYMBOL = 14

/** Formats a token row for its link preview. */
export function formatCard(row: TokenRow, sparkline: readonly number[]): TokenCard {
  const change = toChangePercent(row.price, row.price_h24) ?? 0
  const marketCap = toMarketCapUsd(row, readReserves(row))
  const usd = usdOf(row)
  return {
    kind: 'token',
    ...formatHead(row),
    // Rounded down: 100 means a completed curve.
    progress: Math.floor(Number(row.progress)),
    // Without a US dollar price, that in the quote asset, without a symbol.
    price: usd === null ? formatPrice(row.price) : `$${formatPrice(row.price * Number(usd))}`,
    marketCap: marketCap === null ? null : `$${formatCompact(marketCap)}`,
    change: formatChange(change),
    quote: fitText(toQuote(row).symbol, SYMBOL),
    direction: Math.abs(change) < 0.005 ? 'flat' : change > 0 ? 'up' : 'down',
    sparkline,
  }
}

/**
 * Formats a wallet's profit on a token, realized and not, as a part of what was paid. All amounts are of the tokens that the
 * wallet bought and has sold or holds, so that sold + held - bought is the profit. Tokens that were received or sent on are in
 * none of them: they have no profit.
 */
export function formatProfit(token: TokenRow, trader: TraderRow, username: string | null): ProfitCard {
  const valuation = valueRow(trader)
  const realized = BigInt(trader.realized)
  const profit = realized + profitOf(trader, valuation).quote
  const soldCost = BigInt(trader.spent) - BigInt(trader.lot_cost)
  const bought = soldCost + valuation.cost
  const { symbol, decimals } = toQuote(trader)
  const format = (amount: bigint) => formatPrice(Number(formatUnits(amount, decimals)))
  const size = profit < 0n ? -profit : profit
  const direction = profit === 0n ? 'flat' : profit > 0n ? 'up' : 'down'
  return {
    kind: 'profit',
    ...formatHead(token),
    trader: username ?? shortenAddress(trader.wallet),
    unit: fitText(symbol, SYMBOL),
    profit: `${signs[direction]}${format(size)}`,
    change: bought === 0n ? null : formatChange(toPercent(profit, bought) ?? 0),
    direction,
    bought: format(bought),
    sold: format(soldCost + realized),
    held: format(valuation.boughtValue),
  }
}

/** Each sign is as wide as a digit, as in formatChange. */
const signs = { up: '+', down: '−', flat: '' }

const formatHead = ({ address, name, symbol, status, lifecycle }: TokenRow): TokenHead => ({
  address,
  name: fitText(name, NAME),
  symbol: fitText(symbol, SYMBOL),
  status,
  lifecycle,
})

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
