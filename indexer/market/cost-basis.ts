import { parseUsd } from '../../chain/amounts.ts'
import type { Side } from '../../launchpads/launchpad.ts'

/** Tokens that a wallet bought and has not sold yet, and their cost. */
export interface Lot {
  /** Tokens, base units. */
  tokens: bigint
  /** Base units of the quote asset, fees included. */
  cost: bigint
  /** Native coin at the times of the purchases: the cost itself where the quote asset is the native coin. */
  costNative: bigint
  /** USD at the times of the purchases, USD_DECIMALS decimals; purchases without a known price add nothing. */
  costUsd: bigint
}

/** Profit of a sale, in the units of a lot's costs; negative for a loss. */
export interface Profit {
  quote: bigint
  native: bigint
  usd: bigint
}

interface LotTrade {
  side: Side
  tokenAmount: bigint
  quoteAmount: bigint
  /** Native coin; null, or 0 for a positive amount, if unknown. */
  valueNative: bigint | null
  /** Whether the quote asset is the native coin. */
  isNative: boolean
  /** USD_DECIMALS decimals; null without a price. */
  valueUsd: bigint | null
}

export const EMPTY_LOT: Lot = { tokens: 0n, cost: 0n, costNative: 0n, costUsd: 0n }
interface StoredLot {
  lot_tokens: string
  lot_cost: string
  lot_cost_usd: string
  /** null: the quote asset is the native coin. */
  lot_cost_native: string | null
}

export const parseLot = (row: StoredLot): Lot => ({
  tokens: BigInt(row.lot_tokens),
  cost: BigInt(row.lot_cost),
  costNative: BigInt(row.lot_cost_native ?? row.lot_cost),
  costUsd: parseUsd(row.lot_cost_usd),
})

export const noProfit = (): Profit => ({ quote: 0n, native: 0n, usd: 0n })

/**
 * Returns a wallet's lot after its trade, and the profit of a sale.
 *
 * Average cost: a sale takes its share of the cost of all purchases. Only bought tokens have a cost: the part of a sale
 * beyond the lot was received from others and earns no profit. Transfers do not change the lot. Costs round down, so
 * that a lot sold in parts costs no more than in one. A sale whose value in a currency is unknown earns nothing in it: what the lot
 * has cost would be a loss that nobody had.
 */
export function applyTradeToLot(lot: Lot, trade: LotTrade): { lot: Lot; profit: Profit | null } {
  const { isNative } = trade
  if (trade.side === 'buy') {
    const cost = lot.cost + trade.quoteAmount
    return {
      lot: {
        tokens: lot.tokens + trade.tokenAmount,
        cost,
        costNative: isNative ? cost : lot.costNative + (trade.valueNative ?? 0n),
        costUsd: lot.costUsd + (trade.valueUsd ?? 0n),
      },
      profit: null,
    }
  }
  let sold = lot.tokens
  if (trade.tokenAmount < sold) sold = trade.tokenAmount
  if (sold === 0n || trade.tokenAmount === 0n) return { lot, profit: noProfit() }
  // Nearly every sale is of bought tokens alone.
  const isWhole = sold === trade.tokenAmount
  const cost = (lot.cost * sold) / lot.tokens
  const costUsd = (lot.costUsd * sold) / lot.tokens
  const left = lot.cost - cost
  const share = (amount: bigint) => (isWhole ? amount : (amount * sold) / trade.tokenAmount)
  const profitIn = (value: bigint | null, cost: bigint) => (value === null ? 0n : share(value) - cost)
  // Stored trades have 0 for an unknown value.
  const valueNative = trade.valueNative === 0n && trade.quoteAmount > 0n ? null : trade.valueNative
  const profit = share(trade.quoteAmount) - cost
  const costNative = isNative ? cost : (lot.costNative * sold) / lot.tokens
  return {
    lot: {
      tokens: lot.tokens - sold,
      cost: left,
      costNative: isNative ? left : lot.costNative - costNative,
      costUsd: lot.costUsd - costUsd,
    },
    profit: {
      quote: profit,
      native: isNative ? profit : profitIn(valueNative, costNative),
      usd: profitIn(trade.valueUsd, costUsd),
    },
  }
}
