import { sql, type Transaction } from 'kysely'
import { type BulkTarget, writeRows } from '../../db/bulk.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import type { Database } from '../../db/schema.ts'

/** A wallet's stake in a pool. */
export interface Holding {
  pool: string
  wallet: string
}

/** Set by the wallet's latest event, except `claimed`, which is a sum. */
export interface StakingPosition extends Holding {
  state: (LogPosition & PositionState) | null
  claimed: bigint
}

export interface PositionState {
  staked: bigint
  pendingUnstake: bigint
  withdrawableAt: bigint
  rewards: bigint
  /** The pool's rewardPerToken at that event. */
  rewardPerTokenPaid: bigint
}

type StoredPosition = Record<string, string | number>

export const keyOf = ({ pool, wallet }: Holding): string => `${pool}/${wallet}`

const target: BulkTarget<StakingPosition> = {
  table: 'staking_positions',
  key: ['pool', 'wallet'],
  columns: [
    { name: 'pool', type: 'text', value: ({ pool }) => pool },
    { name: 'wallet', type: 'text', value: ({ wallet }) => wallet },
    { name: 'state_block', type: 'bigint', value: ({ state }) => state?.blockNumber ?? null },
    { name: 'state_log', type: 'integer', value: ({ state }) => state?.logIndex ?? null },
    { name: 'staked', type: 'numeric', value: ({ state }) => state?.staked ?? 0n },
    { name: 'pending_unstake', type: 'numeric', value: ({ state }) => state?.pendingUnstake ?? 0n },
    { name: 'withdrawable_at', type: 'bigint', value: ({ state }) => state?.withdrawableAt ?? 0n },
    { name: 'rewards', type: 'numeric', value: ({ state }) => state?.rewards ?? 0n },
    { name: 'reward_per_token_paid', type: 'numeric', value: ({ state }) => state?.rewardPerTokenPaid ?? 0n },
    { name: 'claimed', type: 'numeric', value: ({ claimed }) => claimed },
  ],
}

/** All positions of the holdings, by keyOf; an empty one where none is stored. */
export async function loadPositions(
  trx: Transaction<Database>,
  holdings: readonly Holding[],
): Promise<Map<string, StakingPosition>> {
  const positions = new Map<string, StakingPosition>()
  for (const { pool, wallet } of holdings) {
    positions.set(keyOf({ pool, wallet }), { pool, wallet, state: null, claimed: 0n })
  }
  if (positions.size === 0) return positions
  const { rows } = await sql<StoredPosition>`select p.* from ${holdingTable([...positions.values()])}
    join staking_positions p on p.pool = k.pool and p.wallet = k.wallet`.execute(trx)
  for (const row of rows) {
    const position = parsePosition(row)
    positions.set(keyOf(position), position)
  }
  return positions
}

export async function writePositions(trx: Transaction<Database>, positions: readonly StakingPosition[]): Promise<void> {
  await writeRows(trx, target, positions)
}

/** The holdings as a table `k (pool, wallet)` to join with. */
export const holdingTable = (holdings: readonly Holding[]) =>
  sql`unnest(${holdings.map(({ pool }) => pool)}::text[], ${holdings.map(({ wallet }) => wallet)}::text[]) as k (pool, wallet)`

/** 1 if the position counts as a staker, else 0. */
export const stakerShare = ({ state }: StakingPosition): number => (state && state.staked > 0n ? 1 : 0)

function parsePosition(row: StoredPosition): StakingPosition {
  const big = (name: string) => BigInt(row[name] ?? 0)
  return {
    pool: String(row.pool),
    wallet: String(row.wallet),
    state: {
      blockNumber: Number(row.state_block),
      logIndex: Number(row.state_log),
      staked: big('staked'),
      pendingUnstake: big('pending_unstake'),
      withdrawableAt: big('withdrawable_at'),
      rewards: big('rewards'),
      rewardPerTokenPaid: big('reward_per_token_paid'),
    },
    claimed: big('claimed'),
  }
}
