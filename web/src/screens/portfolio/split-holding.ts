import type { Schema } from '@slipway/sdk'

type Holding = Schema<'Holding'>

/** The bought or the received part of a holding: its value less its cost is its unrealized profit. */
export interface HoldingPart {
  holding: Holding
  origin: 'bought' | 'received'
  /** Base units. */
  amount: string
  /** In the quote asset. */
  valueQuote: bigint
  valueUsd: number | null
  /** Null for received tokens, which have none, or without a price feed. */
  costUsd: number | null
  /** Null for received tokens. */
  unrealized: Holding['unrealizedPnl'] | null
  /** Whether it is the first part of its holding. */
  isFirst: boolean
}

/** The parts of a holding. Tokens that came by transfer have no cost: together with bought ones no figures add up. */
export function splitHolding(holding: Holding): HoldingPart[] {
  const { boughtAmount, receivedAmount, valueQuote, valueUsd, costQuote, costUsd, unrealizedPnl } = holding
  const bought = {
    quote: BigInt(costQuote) + BigInt(unrealizedPnl.quote),
    usd: costUsd === null || unrealizedPnl.usd === null ? null : costUsd + unrealizedPnl.usd,
  }
  const parts: Omit<HoldingPart, 'isFirst'>[] = []
  if (boughtAmount !== '0')
    parts.push({
      holding,
      origin: 'bought',
      amount: boughtAmount,
      valueQuote: bought.quote,
      valueUsd: bought.usd,
      costUsd,
      unrealized: unrealizedPnl,
    })
  if (receivedAmount !== '0' || parts.length === 0)
    parts.push({
      holding,
      origin: 'received',
      amount: receivedAmount,
      valueQuote: BigInt(valueQuote) - bought.quote,
      valueUsd: valueUsd === null || bought.usd === null ? null : Math.max(0, valueUsd - bought.usd),
      costUsd: null,
      unrealized: null,
    })
  return parts.map((part, index) => ({ ...part, isFirst: index === 0 }))
}
