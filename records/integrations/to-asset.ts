import type { Static } from '@sinclair/typebox'
import type { AssetRow } from '../../db/queries/integrations/adapter.ts'
import type { FeedAssetWithDecimals } from '../../schemas/integrations/adapter.ts'
import { toChecksum, toCoins, toImageUri } from './format.ts'

type Asset = Static<typeof FeedAssetWithDecimals>['asset']

/**
 * A token as the indexers of exchanges read it. Name and symbol may be empty on the chain. Clients of the feed stop at an
 * empty name, so another field replaces it.
 */
export function toAsset(row: AssetRow, { publicUrl }: { publicUrl: string }): Asset {
  const image = toImageUri(row.image_url, publicUrl)
  const known = Object.entries({
    image,
    description: row.description,
    website: row.website,
    twitter: row.twitter,
    telegram: row.telegram,
    discord: row.discord,
  }).filter((entry): entry is [string, string] => entry[1] !== null)
  return {
    id: toChecksum(row.address),
    name: row.name || row.symbol || toChecksum(row.address),
    symbol: row.symbol || row.name || toChecksum(row.address),
    decimals: row.decimals,
    totalSupply: toCoins(row.total_supply, row.decimals),
    ...(known.length > 0 && { metadata: Object.fromEntries(known) }),
  }
}

/** The wrapped native coin, which has no row in the database. */
export const describeWrappedNative = (address: string, { nativeCurrency: coin }: { nativeCurrency: Coin }): Asset => ({
  id: toChecksum(address),
  name: coin.wrappedName,
  symbol: coin.wrappedSymbol,
  decimals: coin.decimals,
})

/** An asset in which tokens are priced: its name is not known here. */
export const describeQuoteAsset = (row: { address: string; symbol: string; decimals: number }): Asset => ({
  id: toChecksum(row.address),
  name: row.symbol,
  symbol: row.symbol,
  decimals: row.decimals,
})

interface Coin {
  wrappedName: string
  wrappedSymbol: string
  decimals: number
}
