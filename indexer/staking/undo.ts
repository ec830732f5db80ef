import { sql, type Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import { isPositionAction, type PositionAction, type StakingChainEvent } from './events.ts'
import { loadPools, type Pool, parseState, writePools } from './pools.ts'
import { holdingTable, keyOf, loadPositions, type StakingPosition, stakerShare, writePositions } from './positions.ts'

type Row = Record<string, string | number | null>

/** Undoes the events from a height on: sums are subtracted, each state is restored from the latest remaining event. */
export async function undoStaking(
  trx: Transaction<Database>,
  events: readonly StakingChainEvent[],
  from: number,
): Promise<readonly number[]> {
  await trx.deleteFrom('staking_events').where('block_number', '>=', from).execute()
  const pools = await loadPools(trx, [...new Set(events.map(({ pool }) => pool))])
  for (const event of events) {
    const pool = pools.get(event.pool)
    if (!pool) continue
    if (event.kind === 'create-pool') pool.created = null
    if (event.kind === 'claim') pool.totalPaid -= event.amount
  }
  await restorePositions(trx, pools, events.filter(isPositionAction))
  await restorePools(trx, pools)
  const [gone, left] = split([...pools.values()], ({ created, state }) => created === null && state === null)
  const ids = gone.map(({ id }) => id)
  if (ids.length > 0) await sql`delete from staking_pools where id = any(${ids}::text[])`.execute(trx)
  await writePools(trx, left)
  // Figures of no token.
  return []
}

async function restorePositions(
  trx: Transaction<Database>,
  pools: ReadonlyMap<string, Pool>,
  actions: readonly PositionAction[],
): Promise<void> {
  const positions = await loadPositions(trx, actions)
  for (const action of actions) {
    const position = positions.get(keyOf(action))
    if (position && action.kind === 'claim') position.claimed -= action.amount
  }
  const { rows } = await sql<Row>`
    select l.* from ${holdingTable([...positions.values()])}
    join lateral (
      select pool, wallet, block_number, log_index, staked, pending_unstake, withdrawable_at, rewards, reward_per_token
      from staking_events where pool = k.pool and wallet = k.wallet and kind <> 'fund'
      order by block_number desc, log_index desc limit 1
    ) l on true`.execute(trx)
  const latest = new Map(rows.map((row) => [`${row.pool}/${row.wallet}`, row]))
  for (const [key, position] of positions) {
    const before = stakerShare(position)
    position.state = parsePositionState(latest.get(key))
    const pool = pools.get(position.pool)
    if (pool) pool.stakerCount += stakerShare(position) - before
  }
  const [gone, left] = split([...positions.values()], ({ state }) => state === null)
  if (gone.length > 0) {
    await sql`delete from staking_positions p using ${holdingTable(gone)}
      where p.pool = k.pool and p.wallet = k.wallet`.execute(trx)
  }
  await writePositions(trx, left)
}

function parsePositionState(row: Row | undefined): StakingPosition['state'] {
  if (!row) return null
  return {
    blockNumber: Number(row.block_number),
    logIndex: Number(row.log_index),
    staked: BigInt(row.staked ?? 0),
    pendingUnstake: BigInt(row.pending_unstake ?? 0),
    withdrawableAt: BigInt(row.withdrawable_at ?? 0),
    rewards: BigInt(row.rewards ?? 0),
    rewardPerTokenPaid: BigInt(row.reward_per_token ?? 0),
  }
}

/** Restores state and funding of pools from their latest remaining events. */
async function restorePools(trx: Transaction<Database>, pools: ReadonlyMap<string, Pool>): Promise<void> {
  const latest = (kind: 'any' | 'fund') => sql<Row>`
    select l.* from unnest(${[...pools.keys()]}::text[]) as k (pool)
    join lateral (
      select * from staking_events where pool = k.pool and ${kind === 'fund' ? sql`kind = 'fund'` : sql`true`}
      order by block_number desc, log_index desc limit 1
    ) l on true`
  for (const pool of pools.values()) {
    pool.state = null
    pool.funded = null
  }
  const position = (row: Row) => ({ blockNumber: Number(row.block_number), logIndex: Number(row.log_index) })
  for (const row of (await latest('any').execute(trx)).rows) {
    const pool = pools.get(String(row.pool))
    if (pool) pool.state = { ...position(row), ...parseState(row) }
  }
  for (const row of (await latest('fund').execute(trx)).rows) {
    const pool = pools.get(String(row.pool))
    if (pool) pool.funded = { ...position(row), total: BigInt(row.total_funded ?? 0) }
  }
}

function split<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
