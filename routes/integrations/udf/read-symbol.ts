import type { Db } from '../../../db/client.ts'
import { type ChartSymbolRow, findChartSymbol } from '../../../db/queries/integrations/chart-symbols.ts'
import { AppError } from '../../../errors.ts'
import type { Currency } from '../../../records/integrations/name-symbol.ts'

/** A token with the currency of its prices. */
export interface ChartSymbol extends ChartSymbolRow {
  currency: Currency
}

/** Loads the symbol of a ticker. Throws TOKEN_NOT_FOUND, also for a hidden token. */
export async function readSymbol(db: Db, ticker: string): Promise<ChartSymbol> {
  const [address, currency] = ticker.toLowerCase().split(':') as [string, string?]
  const row = await findChartSymbol(db, address)
  if (!row) throw new AppError('TOKEN_NOT_FOUND', { address })
  return { ...row, currency: currency === undefined ? 'native' : 'usd' }
}
