import type { Static } from '@sinclair/typebox'
import type { TokenRow } from '../../db/queries/tokens.ts'
import type { UdfSearch } from '../../schemas/integrations/udf.ts'
import { type Currency, describeSymbol, nameSymbol, nameTicker, typeOf } from './name-symbol.ts'

/** A token that a search of chart symbols found. */
export function toUdfMatch(
  { address: token, symbol, name }: TokenRow,
  { currency, exchange, coin }: { currency: Currency; exchange: string; coin: string },
): Static<typeof UdfSearch>[number] {
  const shown = nameSymbol({ token, symbol, name }, currency, coin)
  return {
    symbol: shown,
    full_name: `${exchange}:${shown}`,
    description: describeSymbol({ token, symbol, name }, currency),
    exchange,
    ticker: nameTicker(token, currency),
    type: typeOf(currency),
  }
}
