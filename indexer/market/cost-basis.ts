import type { Side } from '../../launchpads/launchpad.ts'

/** Tokens that a wallet bought and has not sold yet, and their cost. */
export interface Lot {
  /** Tokens, base units. */
  tokens: bigint
  /** Native coin, base units, fees included. */
  cost: bigint
  /** USD at the times of the purchases, USD_DECIMALS decimals; purchases without a known price add nothing. */
  costUsd: bigint
}

/** Profit of a sale, in the units of a lot's costs; negative for a loss. */
export interface Profit {
  native: bigint
  usd: bigint
}

interface LotTrade {
  side: Side
  tokenAmount: bigint
  quoteAmount: bigint
  /** USD_DECIMALS decimals; null without a price. */
  valueUsd: bigint | null
}

export const EMPTY_LOT: Lot = { tokens: 0n, cost: 0n, costUsd: 0n }

/**
 * Returns a wallet's lot after its trade, and the profit of a sale.
 *
 * Average cost: a sale takes its share of the cost of all purchases. Only bought tokens have a cost: the part of a sale
 * beyond the lot was received from others and earns no profit. Transfers do not change the lot. Costs round down, so
 * that a lot sold in parts costs no more than in one.
 */
export function applyTradeToLot(lot: Lot, trade: LotTrade): { lot: Lot; profit: Profit | null } {
  const valueUsd = trade.valueUsd ?? 0n
  if (trade.side === 'buy') {
    return {
      lot: {
        tokens: lot.tokens + trade.tokenAmount,
        cost: lot.cost + trade.quoteAmount,
        costUsd: lot.costUsd + valueUsd,
      },
      profit: null,
    }
  }
  let sold = lot.tokens
  if (trade.tokenAmount < sold) sold = trade.tokenAmount
  if (sold === 0n || trade.tokenAmount === 0n) return { lot, profit: { native: 0n, usd: 0n } }
  // Nearly every sale is of bought tokens alone.
  const isWhole = sold === trade.tokenAmount
  const cost = (lot.cost * sold) / lot.tokens
  const costUsd = (lot.costUsd * sold) / lot.tokens
  return {
    lot: { tokens: lot.tokens - sold, cost: lot.cost - cost, costUsd: lot.costUsd - costUsd },
    profit: {
      native: (isWhole ? trade.quoteAmount : (trade.quoteAmount * sold) / trade.tokenAmount) - cost,
      usd: (isWhole ? valueUsd : (valueUsd * sold) / trade.tokenAmount) - costUsd,
    },
  }
}
