import { nativeToUsd, parseUsd } from '../chain/amounts.ts'
import { type Valuation, valueHolding } from '../chain/holding.ts'
import type { HoldingRow } from '../db/queries/portfolio.ts'

type Held = Pick<
  HoldingRow,
  'balance' | 'lot_tokens' | 'lot_cost' | 'lot_cost_usd' | 'reserve_quote' | 'reserve_token' | 'quote_usd'
>

/** The value and cost of a holding at the current price, in base units. */
export const valueRow = (row: Held): Valuation =>
  valueHolding({
    balance: BigInt(row.balance),
    lot: { tokens: BigInt(row.lot_tokens), cost: BigInt(row.lot_cost), costUsd: parseUsd(row.lot_cost_usd) },
    reserves: { quote: BigInt(row.reserve_quote), token: BigInt(row.reserve_token) },
  })

/**
 * Unrealized profit of the bought tokens: native coin in base units, and USD with USD_DECIMALS decimals (null without a
 * price).
 */
export function profitOf(
  row: Pick<HoldingRow, 'quote_usd'>,
  valuation: Valuation,
): { native: bigint; usd: bigint | null } {
  const native = valuation.boughtValue - valuation.cost
  if (row.quote_usd === null) return { native, usd: null }
  return { native, usd: nativeToUsd(valuation.boughtValue, parseUsd(row.quote_usd)) - valuation.costUsd }
}
