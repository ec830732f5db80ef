import type { Static } from '@sinclair/typebox'
import { nativeToUsd, parseUsd, subtract, usdToNumber } from '../../chain/amounts.ts'
import { type Valuation, valueHolding } from '../../chain/holding.ts'
import { formatRatio } from '../../chain/price.ts'
import type { CreationRow, HoldingRow } from '../../db/queries/portfolio.ts'
import { toIso, toUsd } from '../../records/format.ts'
import type { Creation, Holding } from '../../schemas/portfolio.ts'

export interface ValuedRow {
  row: HoldingRow
  valuation: Valuation
}

export const valueRow = (row: HoldingRow): ValuedRow => ({
  row,
  valuation: valueHolding({
    balance: BigInt(row.balance),
    lot: { tokens: BigInt(row.lot_tokens), cost: BigInt(row.lot_cost), costUsd: parseUsd(row.lot_cost_usd) },
    reserves: { quote: BigInt(row.reserve_quote), token: BigInt(row.reserve_token) },
  }),
})

/**
 * Unrealized profit of the bought tokens: native coin in base units, and USD with USD_DECIMALS decimals (null without a
 * price).
 */
export function profitOf({ row, valuation }: ValuedRow): { native: bigint; usd: bigint | null } {
  const native = valuation.boughtValue - valuation.cost
  if (row.quote_usd === null) return { native, usd: null }
  return { native, usd: nativeToUsd(valuation.boughtValue, parseUsd(row.quote_usd)) - valuation.costUsd }
}

export function toHolding(valued: ValuedRow): Static<typeof Holding> {
  const { row, valuation } = valued
  const unrealized = profitOf(valued)
  const one = formatRatio(BigInt(row.reserve_quote), BigInt(row.reserve_token))
  const hasUsd = row.quote_usd !== null
  return {
    ...toTokenFields(row),
    balance: row.balance,
    boughtAmount: valuation.bought.toString(),
    receivedAmount: valuation.received.toString(),
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

export function toCreation(row: CreationRow): Static<typeof Creation> {
  return {
    ...toTokenFields(row),
    status: row.status,
    marketCapUsd: toUsd(BigInt(row.market_cap), row.quote_usd),
    feesEarned: row.fees_earned,
    feesClaimed: row.fees_claimed,
    feesClaimable: subtract(BigInt(row.fees_earned), BigInt(row.fees_claimed)).toString(),
    createdAt: toIso(row.created_at),
  }
}

const toTokenFields = (row: HoldingRow | CreationRow) => ({
  token: row.token,
  name: row.name,
  symbol: row.symbol,
  imageUrl: row.image_url,
  hidden: row.hidden,
})
