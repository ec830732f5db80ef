import type { Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import { isAfter, type Position } from '../engine/batch.ts'
import type { DomainLog } from '../engine/domain.ts'
import type { Refuse } from '../engine/refusals.ts'
import { isAct, isOfPosition, type PositionAct, type StakingHappening } from './happenings.ts'
import { notifyStakers } from './notify.ts'
import { loadPools, makePool, type Pool, writePools } from './pools.ts'
import { keyOf, loadPositions, type StakingPosition, stakerShare, writePositions } from './positions.ts'
import { readEffective } from './read-effective.ts'
import { storeEvents } from './store-events.ts'

/**
 * Writes what follows from events that are new. They may come in any order: of each state the latest event's stays, and the
 * rest are sums. clock: unix seconds.
 */
export async function applyStaking(
  trx: Transaction<Database>,
  logs: readonly DomainLog[],
  clock: number,
  refuse: Refuse,
): Promise<void> {
  const happenings = await readEffective(trx, logs, refuse)
  await storeEvents(trx, happenings.filter(isAct))
  const pools = await loadPools(trx, [...new Set(happenings.map(({ pool }) => pool))])
  for (const happening of happenings) addToPool(pools, happening)

  const acts = happenings.filter(isOfPosition)
  const positions = await loadPositions(trx, acts)
  const before = new Map([...positions].map(([key, position]) => [key, stakerShare(position)]))
  for (const act of acts) addToPosition(positions, act)
  for (const [key, position] of positions) {
    const pool = pools.get(position.pool)
    if (pool) pool.stakerCount += stakerShare(position) - (before.get(key) ?? 0)
  }
  await writePositions(trx, [...positions.values()])
  await writePools(trx, [...pools.values()])
  await notifyStakers(
    trx,
    happenings.filter((happening) => happening.kind === 'fund'),
    clock,
  )
}

function addToPool(pools: Map<string, Pool>, happening: StakingHappening): void {
  const { at, pool: id, contract, number } = happening
  const pool = pools.get(id) ?? makePool(id, contract, number)
  pools.set(id, pool)
  const position = { block: at.block, log: at.log }
  if (happening.kind === 'create-pool') {
    const { stakingToken, rewardToken, cooldownSeconds, periodSeconds } = happening
    const terms = { stakingToken, rewardToken, cooldownSeconds, periodSeconds }
    pool.created = { ...position, ...terms, time: at.time, txHash: at.txHash }
    return
  }
  const { totalStaked, rewardRate, rewardPerToken, lastUpdateTime, periodFinish } = happening
  if (isLater(position, pool.state)) {
    pool.state = { ...position, totalStaked, rewardRate, rewardPerToken, lastUpdateTime, periodFinish }
  }
  if (happening.kind === 'fund' && isLater(position, pool.funded)) {
    pool.funded = { ...position, total: happening.totalFunded }
  }
  if (happening.kind === 'claim') pool.totalPaid += happening.amount
}

function addToPosition(positions: ReadonlyMap<string, StakingPosition>, act: PositionAct): void {
  const position = positions.get(keyOf(act))
  if (!position) return
  if (act.kind === 'claim') position.claimed += act.amount
  const { block, log } = act.at
  if (!isLater({ block, log }, position.state)) return
  const { staked, pendingUnstake, withdrawableAt, rewards, rewardPerToken: rewardPerTokenPaid } = act
  position.state = { block, log, staked, pendingUnstake, withdrawableAt, rewards, rewardPerTokenPaid }
}

function isLater(position: Position, known: Position | null): boolean {
  return known === null || isAfter(position, known)
}
