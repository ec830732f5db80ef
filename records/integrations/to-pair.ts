import type { Static } from '@sinclair/typebox'
import type { PairRow } from '../../db/queries/integrations/adapter.ts'
import type { FeedPair } from '../../schemas/integrations/adapter.ts'
import { toChecksum, toSlug } from './format.ts'

/** Swap fee of a Uniswap V2 pair, in basis points. */
const POOL_FEE_BPS = 30

/** The exchange of all pools. */
const POOL_DEX = 'uniswap-v2'

/** A market of a token, as the indexers of exchanges read it: its curve, or its pool. */
export function toPair(row: PairRow, { brand }: { brand: { name: string } }): Static<typeof FeedPair>['pair'] {
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
