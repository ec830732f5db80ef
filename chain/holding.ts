/** What a wallet holds of a token, in base units, and what is known of how it came by it. */
export interface Holding {
  balance: bigint
  /** What it has bought and not sold, and what that cost: native coin, and USD with USD_DECIMALS decimals. */
  lot: { tokens: bigint; cost: bigint; costUsd: bigint }
  /** The reserves whose ratio is the price. */
  reserves: { quote: bigint; token: bigint }
}

export interface Valuation {
  /** Native coin at the price now, rounded down, without the effect that a sale would have on it. */
  value: bigint
  /** The part of the balance that was bought, and so has a cost; the rest was received from others. */
  bought: bigint
  received: bigint
  /** Cost of the bought part, at average cost. */
  cost: bigint
  costUsd: bigint
  /** Value of the bought part. Less its cost it is the unrealised profit; what was received makes none. */
  boughtValue: bigint
}

/**
 * Values a holding at the price now. Average cost: of what was bought, some may have been sent away since; what is still
 * held takes its share of the cost. What was received from others counts to the value and has no cost, hence no profit.
 */
export function valueHolding({ balance, lot, reserves }: Holding): Valuation {
  const worth = (amount: bigint) => (reserves.token === 0n ? 0n : (amount * reserves.quote) / reserves.token)
  const bought = balance < lot.tokens ? balance : lot.tokens
  const share = (cost: bigint) => (lot.tokens === 0n ? 0n : (cost * bought) / lot.tokens)
  return {
    value: worth(balance),
    bought,
    received: balance - bought,
    cost: share(lot.cost),
    costUsd: share(lot.costUsd),
    boughtValue: worth(bought),
  }
}
