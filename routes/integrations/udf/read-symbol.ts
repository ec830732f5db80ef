import type { Db } from '../../../db/client.ts'
import { type ChartSymbolRow, findChartSymbol } from '../../../db/queries/integrations/chart-symbols.ts'
import { AppError } from '../../../errors.ts'
import type { Currency } from '../../../records/integrations/name-symbol.ts'

/** A token with what its chart shows. */
export interface ChartSymbol extends ChartSymbolRow {
  currency: Currency
}

const TICKER = /^(0x[0-9a-f]{40})(?::(usd|mc))?$/i

/** Loads the symbol of a ticker. Throws INVALID_INPUT, and TOKEN_NOT_FOUND, also for a hidden token. */
export async function readSymbol(db: Db, ticker: string): Promise<ChartSymbol> {
  const [, address, suffix = ''] = TICKER.exec(ticker)?.map((part) => part?.toLowerCase()) ?? []
  // Not a pattern of the parameter: the released document has one without `:MC`, and compatibility checks accept no other.
  if (address === undefined) throw new AppError('INVALID_INPUT', { field: 'query.symbol', problem: NO_TICKER })
  const row = await findChartSymbol(db, address)
  if (!row) throw new AppError('TOKEN_NOT_FOUND', { address })
  return { ...row, currency: currencies[suffix] ?? 'native' }
}

export const NO_TICKER = 'must be a ticker of this feed: an address, or an address with :USD or :MC after it'
const currencies: Record<string, Currency> = { usd: 'usd', mc: 'marketCapUsd' }
