import { parseUsd } from '../chain/amounts.ts'
import { type Valuation, valueHolding } from '../chain/holding.ts'
import type { HoldingRow } from '../db/queries/portfolio/portfolio.ts'
import { valueInNative, valueInUsd } from './quote.ts'

type Held = Pick<
  HoldingRow,
  'balance' | 'lot_tokens' | 'lot_cost' | 'lot_cost_native' | 'lot_cost_usd' | 'reserve_quote' | 'reserve_token'
>

/** The value and cost of a holding at the current price, in base units. */
export const valueRow = (row: Held): Valuation =>
  valueHolding({
    balance: BigInt(row.balance),
    lot: {
      tokens: BigInt(row.lot_tokens),
      cost: BigInt(row.lot_cost),
      costNative: BigInt(row.lot_cost_native ?? row.lot_cost),
      costUsd: parseUsd(row.lot_cost_usd),
    },
    reserves: { quote: BigInt(row.reserve_quote), token: BigInt(row.reserve_token) },
  })

/**
 * Unrealized profit of the bought tokens: quote asset and native coin in base units, and USD with USD_DECIMALS decimals; null
 * where a price is unknown.
 */
export function profitOf(
  row: Pick<HoldingRow, 'native_usd' | 'quote'>,
  valuation: Valuation,
): { quote: bigint; native: bigint | null; usd: bigint | null } {
  const { boughtValue } = valuation
  const [native, usd] = [valueInNative(row, boughtValue), valueInUsd(row, boughtValue)]
  return {
    quote: boughtValue - valuation.cost,
    native: native === null ? null : native - valuation.costNative,
    usd: usd === null ? null : usd - valuation.costUsd,
  }
}
