import type { Client } from '../client.ts'
import { getHolding } from '../operations.ts'
import type { CallOptions, Schema } from '../types.ts'
import { toNumber } from './format.ts'

/** A wallet's position in a token. Amounts in US dollars are null where the chain has no price feed. */
export interface Position {
  holding: Schema<'Holding'>
  /**
   * Average cost of a token that the wallet bought and still has, with fees, in US dollars, native coin and the quote asset; null if
   * it has bought none of them.
   */
  averageEntry: { usd: number | null; native: number; quote: number } | null
  /** The gain of what it has, in percent of its cost, both in the quote asset; null if it cost nothing. */
  unrealizedPct: number | null
  /** The same in US dollars, at the prices of their times: another percentage, as the asset's price changes too. */
  unrealizedUsdPct: number | null
}

interface Units {
  /** Decimals of the token; 18 by default. */
  decimals?: number
  /** Decimals of the native coin; 18 by default. */
  coinDecimals?: number
}

/** The figures of a position that follow from the holding. */
export function toPosition(holding: Schema<'Holding'>, { decimals = 18, coinDecimals = 18 }: Units = {}): Position {
  const bought = toNumber(holding.boughtAmount, decimals)
  const { costNative, costUsd, costQuote, quote, unrealizedPnl } = holding
  const cost = toNumber(costQuote, quote.decimals)
  return {
    holding,
    averageEntry:
      bought === 0
        ? null
        : {
            usd: costUsd === null ? null : costUsd / bought,
            native: toNumber(costNative, coinDecimals) / bought,
            quote: cost / bought,
          },
    unrealizedPct: toPercent(toNumber(unrealizedPnl.quote, quote.decimals), cost),
    unrealizedUsdPct: toPercent(unrealizedPnl.usd, costUsd),
  }
}

const toPercent = (gain: number | null, cost: number | null) =>
  gain === null || cost === null || cost === 0 ? null : (100 * gain) / cost

/**
 * Reads a wallet's position in a token: balance, value, average entry, realized and unrealized P&L. Without `wallet` it is that of
 * the signed-in one. null if the wallet never had the token.
 */
export async function readPosition(
  client: Client,
  token: string,
  { wallet, decimals, coinDecimals, ...options }: Units & CallOptions & { wallet?: string } = {},
): Promise<Position | null> {
  const holding = await getHolding(client, { ...options, path: { token }, ...(wallet && { query: { wallet } }) })
  return holding && toPosition(holding, { ...(decimals && { decimals }), ...(coinDecimals && { coinDecimals }) })
}
