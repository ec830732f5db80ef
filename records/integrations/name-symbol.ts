import type { ChartSymbolRow } from '../../db/queries/integrations/chart-symbols.ts'

/** What a chart shows: the price in native coin or US dollars, or the market capitalisation in US dollars. */
export type Currency = 'native' | 'usd' | 'marketCapUsd'

/** What is appended to the names of symbols; `coin` is the native coin's symbol. */
export const codeOf = (currency: Currency, coin: string) => ({ native: coin, usd: 'USD', marketCapUsd: 'MC' })[currency]

/** Display name of a symbol; symbol and name may be empty on the chain. */
export const nameSymbol = (
  { token, symbol, name }: Pick<ChartSymbolRow, 'token' | 'symbol' | 'name'>,
  currency: Currency,
  coin: string,
) => `${symbol || name || token}/${codeOf(currency, coin)}`

/** Suffixes of tickers. */
const suffixes = { native: '', usd: ':USD', marketCapUsd: ':MC' } as const

/** Unlike its name, the ticker of a symbol is unique. */
export const nameTicker = (token: string, currency: Currency) => `${token}${suffixes[currency]}`

/** The type of a symbol, in the words of the charting library. */
export const typeOf = (currency: Currency) => (currency === 'marketCapUsd' ? 'fundamental' : 'crypto')

/** The description of a symbol, which charting libraries show as its title. */
export const describeSymbol = (
  { token, symbol, name }: Pick<ChartSymbolRow, 'token' | 'symbol' | 'name'>,
  currency: Currency,
) => `${name || symbol || token}${currency === 'marketCapUsd' ? ' market cap' : ''}`
