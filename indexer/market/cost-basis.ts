import type { Side } from '../../chain/events.ts'

/** What a wallet has bought of a token and not sold yet, and what that cost it. */
export interface Lot {
  /** Tokens, base units. */
  tokens: bigint
  /** Native coin, base units, fees included. */
  cost: bigint
  /** USD at the times of the purchases, USD_DECIMALS decimals; purchases without a known price count nothing. */
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
  /** USD_DECIMALS decimals; null where no price was known. */
  valueUsd: bigint | null
}

export const EMPTY_LOT: Lot = { tokens: 0n, cost: 0n, costUsd: 0n }

/**
 * A wallet's lot after a trade of its own, and the profit that a sale realised. Average cost: what is sold takes its share
 * of the cost of all that was bought. Only what the wallet bought itself has a cost: of a sale of more than that, the rest was
 * received from others, and its proceeds are no profit. What is sent to others leaves the lot as it is until bought tokens
 * are sold. Costs round down, so that a lot sold in parts costs no more than in one.
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
  const cost = (lot.cost * sold) / lot.tokens
  const costUsd = (lot.costUsd * sold) / lot.tokens
  return {
    lot: { tokens: lot.tokens - sold, cost: lot.cost - cost, costUsd: lot.costUsd - costUsd },
    profit: {
      native: (trade.quoteAmount * sold) / trade.tokenAmount - cost,
      usd: (valueUsd * sold) / trade.tokenAmount - costUsd,
    },
  }
}
