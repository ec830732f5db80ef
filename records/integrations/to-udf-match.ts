import type { Static } from '@sinclair/typebox'
import type { TokenRow } from '../../db/queries/tokens.ts'
import type { UdfSearch } from '../../schemas/integrations/udf.ts'
import { nameSymbol } from './name-symbol.ts'

/** A token that a search of chart symbols found. */
export function toUdfMatch(
  { address: token, symbol, name }: TokenRow,
  { exchange, coin }: { exchange: string; coin: string },
): Static<typeof UdfSearch>[number] {
  const shown = nameSymbol({ token, symbol, name }, 'native', coin)
  return {
    symbol: shown,
    full_name: `${exchange}:${shown}`,
    description: name || symbol || token,
    exchange,
    ticker: token,
    type: 'crypto',
  }
}
