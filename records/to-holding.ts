import type { Static } from '@sinclair/typebox'
import { usdToNumber } from '../chain/amounts.ts'
import { formatRatio } from '../chain/price.ts'
import type { HoldingRow } from '../db/queries/portfolio.ts'
import type { Holding } from '../schemas/portfolio.ts'
import { toIso, toUsd } from './format.ts'
import { nativeQuote } from './quote.ts'
import { profitOf, valueRow } from './value-holding.ts'

/** A token that a wallet holds, as the API serves it, valued at the current price. */
export function toHolding(row: HoldingRow): Static<typeof Holding> {
  const valuation = valueRow(row)
  const unrealized = profitOf(row, valuation)
  const one = formatRatio(BigInt(row.reserve_quote), BigInt(row.reserve_token))
  const hasUsd = row.quote_usd !== null
  return {
    token: row.token,
    name: row.name,
    symbol: row.symbol,
    imageUrl: row.image_url,
    hidden: row.hidden,
    balance: row.balance,
    boughtAmount: valuation.bought.toString(),
    receivedAmount: valuation.received.toString(),
    quote: nativeQuote(row.native_symbol),
    priceNative: one,
    priceUsd: one === null || row.quote_usd === null ? null : Number(one) * Number(row.quote_usd),
    valueNative: valuation.value.toString(),
    valueUsd: toUsd(valuation.value, row.quote_usd),
    costNative: valuation.cost.toString(),
    costUsd: hasUsd ? usdToNumber(valuation.costUsd) : null,
    unrealizedPnl: {
      native: unrealized.native.toString(),
      usd: unrealized.usd === null ? null : usdToNumber(unrealized.usd),
    },
    realizedPnl: { native: row.realized, usd: hasUsd ? Number(row.realized_usd) : null },
    firstSeenAt: toIso(row.first_seen_at),
    lastTradeAt: row.last_trade_at === null ? null : toIso(row.last_trade_at),
  }
}
