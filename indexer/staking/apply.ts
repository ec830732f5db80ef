import type { Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import { isAfter } from '../engine/batch.ts'
import type { Clock, NotificationRef } from '../engine/module.ts'
import { isAction, isPositionAction, type PositionAction, type StakingChainEvent } from './events.ts'
import { notifyStakers } from './notify.ts'
import { loadPools, makePool, type Pool, writePools } from './pools.ts'
import { keyOf, loadPositions, type StakingPosition, stakerShare, writePositions } from './positions.ts'
import { storeEvents } from './store-events.ts'

/** Applies new events. They may come in any order: each state keeps the latest event's values, the rest are sums. */
export async function applyStaking(
  trx: Transaction<Database>,
  events: readonly StakingChainEvent[],
  clock: Clock,
): Promise<NotificationRef[]> {
  if (events.length === 0) return []
  await storeEvents(trx, events.filter(isAction))
  const pools = await loadPools(trx, [...new Set(events.map(({ pool }) => pool))])
  for (const event of events) addToPool(pools, event)

  const actions = events.filter(isPositionAction)
  const positions = await loadPositions(trx, actions)
  const before = new Map([...positions].map(([key, position]) => [key, stakerShare(position)]))
  for (const action of actions) addToPosition(positions, action)
  for (const [key, position] of positions) {
    const pool = pools.get(position.pool)
    if (pool) pool.stakerCount += stakerShare(position) - (before.get(key) ?? 0)
  }
  await writePositions(trx, [...positions.values()])
  await writePools(trx, [...pools.values()])
  const fundings = events.filter((event) => event.kind === 'fund')
  return notifyStakers(trx, fundings, clock.to)
}

function addToPool(pools: Map<string, Pool>, event: StakingChainEvent): void {
  const { at, pool: id, contract, number } = event
  const pool = pools.get(id) ?? makePool(id, contract, number)
  pools.set(id, pool)
  const position = { blockNumber: at.blockNumber, logIndex: at.logIndex }
  if (event.kind === 'create-pool') {
    const { stakingToken, rewardToken, cooldownSeconds, periodSeconds } = event
    const terms = { stakingToken, rewardToken, cooldownSeconds, periodSeconds }
    pool.created = { ...position, ...terms, time: at.time, txHash: at.txHash }
    return
  }
  const { totalStaked, rewardRate, rewardPerToken, lastUpdateTime, periodFinish } = event
  if (isAfter(position, pool.state)) {
    pool.state = { ...position, totalStaked, rewardRate, rewardPerToken, lastUpdateTime, periodFinish }
  }
  if (event.kind === 'fund' && isAfter(position, pool.funded)) {
    pool.funded = { ...position, total: event.totalFunded }
  }
  if (event.kind === 'claim') pool.totalPaid += event.amount
}

function addToPosition(positions: ReadonlyMap<string, StakingPosition>, action: PositionAction): void {
  const position = positions.get(keyOf(action))
  if (!position) return
  if (action.kind === 'claim') position.claimed += action.amount
  const { blockNumber, logIndex } = action.at
  if (!isAfter(action.at, position.state)) return
  const { staked, pendingUnstake, withdrawableAt, rewards, rewardPerToken: rewardPerTokenPaid } = action
  position.state = {
    blockNumber,
    logIndex,
    staked,
    pendingUnstake,
    withdrawableAt,
    rewards,
    rewardPerTokenPaid,
  }
}
