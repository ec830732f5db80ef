import type { Static } from '@sinclair/typebox'
import type { PairRow } from '../../db/queries/integrations/adapter.ts'
import { type LaunchpadKind, launchpadKinds } from '../../launchpads/kinds.ts'
import type { FeedPair } from '../../schemas/integrations/adapter.ts'
import { toChecksum, toPoolId, toSlug } from './format.ts'

/** Swap fee of a pool in basis points, where all pools of a type have the same. */
const poolFees: Readonly<Record<string, number>> = { 'uniswap-v2': 30 }
/** Fees of launchpads whose pools are at a fork with another fee, such as PancakeSwap V2. null: the fork depends on the chain. */
const forkFees: Readonly<Partial<Record<LaunchpadKind, number | null>>> = { 'four-meme': 25, flap: null }

/** A market of a token, as the indexers of exchanges read it: its curve, or its pool. */
export function toPair(row: PairRow, { brand }: { brand: { name: string } }): Static<typeof FeedPair>['pair'] {
  const token = toChecksum(row.token)
  const feeBps = row.pool === null ? row.fee_bps : poolFeeOf(row)
  return {
    id: row.pool === null ? token : toPoolId(row.pool),
    dexKey: row.pool === null ? toSlug(nameOfCurve(row, brand)) : row.pool_type,
    asset0Id: token,
    asset1Id: toChecksum(row.quote_contract),
    createdAtBlockNumber: row.block_number,
    createdAtBlockTimestamp: row.block_time,
    createdAtTxnId: row.tx_hash,
    creator: toChecksum(row.creator),
    ...(feeBps != null && { feeBps }),
    metadata: { launchpad: toChecksum(row.launchpad) },
  }
}

const poolFeeOf = ({ launchpad_kind: kind, pool_type: type }: PairRow): number | null | undefined =>
  kind in forkFees ? forkFees[kind] : poolFees[type]

/** Our own contracts carry the brand of the service. */
const nameOfCurve = ({ launchpad_kind: kind }: PairRow, brand: { name: string }): string =>
  kind === 'slipway' ? brand.name : launchpadKinds[kind].name
