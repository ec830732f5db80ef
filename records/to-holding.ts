import type { Static } from '@sinclair/typebox'
import { usdToNumber } from '../chain/amounts.ts'
import type { HoldingRow } from '../db/queries/portfolio/portfolio.ts'
import type { Holding } from '../schemas/portfolio.ts'
import { toIso } from './format.ts'
import { toPrices, toQuote, toUsdNumber, usdOf, valueInNative } from './quote.ts'
import { profitOf, valueRow } from './value-holding.ts'

/** A token that a wallet holds, as the API serves it, valued at the current price. */
export function toHolding(row: HoldingRow): Static<typeof Holding> {
  const valuation = valueRow(row)
  const unrealized = profitOf(row, valuation)
  const reserves = { quote: BigInt(row.reserve_quote), token: BigInt(row.reserve_token) }
  const { priceQuote, priceNative } = toPrices(row, reserves, row.quote?.native ?? null)
  const usd = usdOf(row)
  return {
    token: row.token,
    name: row.name,
    symbol: row.symbol,
    decimals: row.decimals,
    imageUrl: row.image_url,
    hidden: row.hidden,
    balance: row.balance,
    boughtAmount: valuation.bought.toString(),
    receivedAmount: valuation.received.toString(),
    quote: toQuote(row),
    priceNative,
    priceQuote,
    priceUsd: priceQuote === null || usd === null ? null : Number(priceQuote) * Number(usd),
    valueNative: (valueInNative(row, valuation.value) ?? 0n).toString(),
    valueQuote: valuation.value.toString(),
    valueUsd: toUsdNumber(row, valuation.value),
    costNative: valuation.costNative.toString(),
    costQuote: valuation.cost.toString(),
    costUsd: usd === null ? null : usdToNumber(valuation.costUsd),
    unrealizedPnl: {
      native: (unrealized.native ?? 0n).toString(),
      quote: unrealized.quote.toString(),
      usd: unrealized.usd === null ? null : usdToNumber(unrealized.usd),
    },
    realizedPnl: {
      native: row.realized_native ?? row.realized,
      quote: row.realized,
      usd: usd === null ? null : Number(row.realized_usd),
    },
    firstSeenAt: toIso(row.first_seen_at),
    lastTradeAt: row.last_trade_at === null ? null : toIso(row.last_trade_at),
  }
}
