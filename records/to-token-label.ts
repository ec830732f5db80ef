import type { Static } from '@sinclair/typebox'
import type { TokenLabel } from '../schemas/social.ts'

/** A token beside a record, from a left join. */
interface LabelRow {
  token: string | null
  token_name: string | null
  token_symbol: string | null
  token_image: string | null
  token_decimals: number | null
}

/** The token of a record as the API serves it; null for one that concerns no token, or one that was not launched. */
export function toTokenLabel(row: LabelRow): Static<typeof TokenLabel> | null {
  const { token, token_name: name, token_symbol: symbol, token_image: imageUrl, token_decimals: decimals } = row
  if (!token || name === null || symbol === null || decimals === null) return null
  return { address: token, name, symbol, imageUrl, decimals }
}
