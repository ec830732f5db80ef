import { sql, type Transaction } from 'kysely'
import { type BulkTarget, writeRows } from '../../db/bulk.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import type { Database } from '../../db/schema.ts'

/** Times in unix seconds; rates and rewardPerToken times rewardPrecision. */
export interface Pool {
  id: string
  contract: string
  number: bigint
  /** null until the creation is known. */
  created: (LogPosition & PoolTerms) | null
  /** Set by the latest event. */
  state: (LogPosition & PoolState) | null
  /** Set by the latest funding, the only event with this value. */
  funded: (LogPosition & { total: bigint }) | null
  totalPaid: bigint
  stakerCount: number
}

export interface PoolTerms {
  stakingToken: string
  rewardToken: string
  cooldownSeconds: bigint
  periodSeconds: bigint
  time: number
  txHash: string
}

export interface PoolState {
  totalStaked: bigint
  rewardRate: bigint
  rewardPerToken: bigint
  lastUpdateTime: bigint
  periodFinish: bigint
}

type StoredPool = Record<string, string | number | null>

const target: BulkTarget<Pool> = {
  table: 'staking_pools',
  key: ['id'],
  columns: [
    { name: 'id', type: 'text', value: ({ id }) => id },
    { name: 'contract', type: 'text', value: ({ contract }) => contract },
    { name: 'number', type: 'numeric', value: ({ number }) => number },
    { name: 'staking_token', type: 'text', value: ({ created }) => created?.stakingToken ?? null },
    { name: 'reward_token', type: 'text', value: ({ created }) => created?.rewardToken ?? null },
    { name: 'cooldown_seconds', type: 'bigint', value: ({ created }) => created?.cooldownSeconds ?? null },
    { name: 'period_seconds', type: 'bigint', value: ({ created }) => created?.periodSeconds ?? null },
    { name: 'created_block', type: 'bigint', value: ({ created }) => created?.blockNumber ?? null },
    { name: 'created_log', type: 'integer', value: ({ created }) => created?.logIndex ?? null },
    { name: 'created_at', type: 'bigint', value: ({ created }) => created?.time ?? null },
    { name: 'tx_hash', type: 'text', value: ({ created }) => created?.txHash ?? null },
    { name: 'state_block', type: 'bigint', value: ({ state }) => state?.blockNumber ?? null },
    { name: 'state_log', type: 'integer', value: ({ state }) => state?.logIndex ?? null },
    { name: 'total_staked', type: 'numeric', value: ({ state }) => state?.totalStaked ?? 0n },
    { name: 'reward_rate', type: 'numeric', value: ({ state }) => state?.rewardRate ?? 0n },
    { name: 'reward_per_token', type: 'numeric', value: ({ state }) => state?.rewardPerToken ?? 0n },
    // Without an event the contract counts from the creation.
    {
      name: 'last_update_time',
      type: 'bigint',
      value: ({ state, created }) => state?.lastUpdateTime ?? created?.time ?? 0,
    },
    { name: 'period_finish', type: 'bigint', value: ({ state }) => state?.periodFinish ?? 0n },
    { name: 'funded_block', type: 'bigint', value: ({ funded }) => funded?.blockNumber ?? null },
    { name: 'funded_log', type: 'integer', value: ({ funded }) => funded?.logIndex ?? null },
    { name: 'total_funded', type: 'numeric', value: ({ funded }) => funded?.total ?? 0n },
    { name: 'total_paid', type: 'numeric', value: ({ totalPaid }) => totalPaid },
    { name: 'staker_count', type: 'bigint', value: ({ stakerCount }) => stakerCount },
  ],
}

/** The stored pools among these, by id. */
export async function loadPools(trx: Transaction<Database>, ids: readonly string[]): Promise<Map<string, Pool>> {
  const { rows } = await sql<StoredPool>`select * from staking_pools where id = any(${ids}::text[])`.execute(trx)
  return new Map(rows.map((row) => [String(row.id), parsePool(row)]))
}

export async function writePools(trx: Transaction<Database>, pools: readonly Pool[]): Promise<void> {
  await writeRows(trx, target, pools)
}

export const makePool = (id: string, contract: string, number: bigint): Pool => ({
  ...{ id, contract, number },
  ...{ created: null, state: null, funded: null, totalPaid: 0n, stakerCount: 0 },
})

/** Parses the pool's state from a stored row or an event's row. */
export function parseState(row: StoredPool): PoolState {
  const big = (name: string) => BigInt(row[name] ?? 0)
  return {
    totalStaked: big('total_staked'),
    rewardRate: big('reward_rate'),
    rewardPerToken: big('reward_per_token'),
    lastUpdateTime: big('last_update_time'),
    periodFinish: big('period_finish'),
  }
}

function parsePool(row: StoredPool): Pool {
  const big = (name: string) => BigInt(row[name] ?? 0)
  const position = (name: string): LogPosition | null =>
    row[`${name}_block`] === null
      ? null
      : { blockNumber: Number(row[`${name}_block`]), logIndex: Number(row[`${name}_log`]) }
  const [created, state, funded] = [position('created'), position('state'), position('funded')]
  return {
    id: String(row.id),
    contract: String(row.contract),
    number: big('number'),
    created: created && {
      ...created,
      stakingToken: String(row.staking_token),
      rewardToken: String(row.reward_token),
      cooldownSeconds: big('cooldown_seconds'),
      periodSeconds: big('period_seconds'),
      time: Number(row.created_at),
      txHash: String(row.tx_hash),
    },
    state: state && { ...state, ...parseState(row) },
    funded: funded && { ...funded, total: big('total_funded') },
    totalPaid: big('total_paid'),
    stakerCount: Number(row.staker_count),
  }
}
