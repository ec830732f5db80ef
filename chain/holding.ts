/** A wallet's holding of one token, in base units, with its cost basis. */
export interface Holding {
  balance: bigint
  /** Tokens bought and not sold, and their cost: quote asset, native coin, and USD with USD_DECIMALS decimals. */
  lot: { tokens: bigint; cost: bigint; costNative: bigint; costUsd: bigint }
  /** The token's price is quote / token. */
  reserves: { quote: bigint; token: bigint }
}

export interface Valuation {
  /** Quote asset at the current price, rounded down, ignoring the price impact of a sale. */
  value: bigint
  /** The bought part of the balance has a cost; the received part was transferred in. */
  bought: bigint
  received: bigint
  /** Average cost of the bought part. */
  cost: bigint
  costNative: bigint
  costUsd: bigint
  /** Value of the bought part; minus its cost it is the unrealised profit. The received part has no profit. */
  boughtValue: bigint
}

/**
 * Values a holding at the current price, at average cost. If bought tokens were transferred out, the rest carries its share of
 * the cost.
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
    costNative: share(lot.costNative),
    costUsd: share(lot.costUsd),
    boughtValue: worth(bought),
  }
}
