import { NATIVE_DECIMALS } from '../../../chain/amounts.ts'
import type { AssetRow, PairRow } from '../../../db/queries/integrations/adapter.ts'
import { NATIVE, toChecksum, toCoins, toImageUri, toSlug } from '../format.ts'

/** Swap fee of a Uniswap V2 pair, in basis points. */
const POOL_FEE_BPS = 30

/** The exchange of all pools. */
const POOL_DEX = 'uniswap-v2'

interface Settings {
  brand: { name: string }
  publicUrl: string
}

export function toPair(row: PairRow, { brand }: Settings) {
  const token = toChecksum(row.token)
  return {
    id: row.pool === null ? token : toChecksum(row.pool),
    dexKey: row.pool === null ? toSlug(brand.name) : POOL_DEX,
    asset0Id: token,
    asset1Id: toChecksum(row.wrapped_native),
    createdAtBlockNumber: row.block_number,
    createdAtBlockTimestamp: row.block_time,
    createdAtTxnId: row.tx_hash,
    creator: toChecksum(row.creator),
    feeBps: row.pool === null ? row.fee_bps : POOL_FEE_BPS,
    metadata: { launchpad: toChecksum(row.launchpad) },
  }
}

/**
 * Name and symbol may be empty on the chain. Clients of the feed stop at an empty name, so another field replaces it.
 */
export function toAsset(row: AssetRow, { publicUrl }: Settings) {
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
export const toWrappedNative = (address: string) => ({
  id: toChecksum(address),
  name: NATIVE.wrappedName,
  symbol: NATIVE.wrappedSymbol,
  decimals: NATIVE_DECIMALS,
})
