import type { ChartSymbolRow } from '../../db/queries/integrations/chart-symbols.ts'

/** The currency of a chart's prices. */
export type Currency = 'native' | 'usd'

/** The code of a currency; `coin` is the native coin's symbol. */
export const codeOf = (currency: Currency, coin: string) => (currency === 'usd' ? 'USD' : coin)

/** Display name of a symbol; symbol and name may be empty on the chain. */
export const nameSymbol = (
  { token, symbol, name }: Pick<ChartSymbolRow, 'token' | 'symbol' | 'name'>,
  currency: Currency,
  coin: string,
) => `${symbol || name || token}/${codeOf(currency, coin)}`

/** Unlike its name, the ticker of a symbol is unique. */
export const nameTicker = (token: string, currency: Currency) => (currency === 'usd' ? `${token}:USD` : token)
