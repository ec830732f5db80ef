import type { Static } from '@sinclair/typebox'
import type { ListedRow } from '../../db/queries/integrations/published-list.ts'
import { type TokenList, tokenListLimits } from '../../schemas/integrations/token-list.ts'
import { toChecksum, toImageUri } from './format.ts'

/** A token in the published token list. */
export function toListedToken(
  row: ListedRow,
  { chainId, publicUrl }: { chainId: number; publicUrl: string },
): Static<typeof TokenList>['tokens'][number] {
  const logoURI = toImageUri(row.image_url, publicUrl)
  return {
    chainId,
    address: toChecksum(row.address),
    decimals: row.decimals,
    name: cut(row.name.replace(/\s+/g, ' ').trim(), tokenListLimits.name),
    symbol: cut(row.symbol.replace(/\s+/g, ''), tokenListLimits.symbol),
    ...(logoURI !== null && { logoURI }),
  }
}

/** Truncates by code points, as JSON Schema counts length. */
const cut = (text: string, length: number): string => [...text].slice(0, length).join('').trim()
