import type { Static } from '@sinclair/typebox'
import type { PairRow } from '../../db/queries/integrations/adapter.ts'
import { launchpadKinds } from '../../launchpads/kinds.ts'
import type { FeedPair } from '../../schemas/integrations/adapter.ts'
import { nameLaunchpad } from '../launchpad.ts'
import { toChecksum, toPoolId, toSlug } from './format.ts'

/** A market of a token, as the indexers of exchanges read it: its curve, or its pool. */
export function toPair(row: PairRow, { brand }: { brand: { name: string } }): Static<typeof FeedPair>['pair'] {
  const token = toChecksum(row.token)
  const feeBps = row.pool === null ? row.fee_bps : launchpadKinds[row.launchpad_kind].poolFeeBps
  return {
    id: row.pool === null ? token : toPoolId(row.pool),
    dexKey: row.pool === null ? toSlug(nameLaunchpad(row.launchpad_kind, brand)) : row.pool_type,
    asset0Id: token,
    asset1Id: toChecksum(row.quote_contract),
    createdAtBlockNumber: row.block_number,
    createdAtBlockTimestamp: row.block_time,
    createdAtTxnId: row.tx_hash,
    creator: toChecksum(row.creator),
    ...(feeBps !== null && { feeBps }),
    metadata: { launchpad: toChecksum(row.launchpad) },
  }
}
