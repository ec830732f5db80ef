import { numberToHex } from 'viem'
import { poolCreatedTopic, stakingTopics } from '../../chain/staking-events.ts'
import type { Db } from '../../db/client.ts'
import type { Action, Domain, DomainLog, Prerequisite } from '../engine/domain.ts'
import { applyStaking } from './apply.ts'
import { decodeEvents, isAction } from './events.ts'
import { undoStaking } from './undo.ts'

/** Fee staking: pools that pay rewards to stakers. See docs/staking.md. */
export const staking: Domain = {
  name: 'staking',
  topics: stakingTopics,
  derived: ['staking_positions', 'staking_pools', 'staking_events'],
  readActions,
  findPrerequisites,
  apply: applyStaking,
  undo: undoStaking,
}

function readActions(logs: readonly DomainLog[]): Action[] {
  return decodeEvents(logs)
    .filter(isAction)
    .map(({ kind, wallet, at }) => ({ kind, wallet, at }))
}

/** The creations of pools that the database lacks. */
async function findPrerequisites(db: Db, logs: readonly DomainLog[]): Promise<Prerequisite[]> {
  const pools = new Map(decodeEvents(logs).map(({ pool, contract, number }) => [pool, { contract, number }]))
  if (pools.size === 0) return []
  const known = await db
    .selectFrom('staking_pools')
    .select('id')
    .where('id', 'in', [...pools.keys()])
    .where('created_block', 'is not', null)
    .execute()
  for (const { id } of known) pools.delete(id)
  return [...pools.values()].map(({ contract, number }) => ({
    address: contract,
    topic0: poolCreatedTopic,
    topic1: numberToHex(number),
  }))
}
