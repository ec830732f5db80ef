import { numberToHex } from 'viem'
import { poolCreatedTopic, stakingTopics } from '../../chain/staking-events.ts'
import type { Db } from '../../db/client.ts'
import type { Act, Domain, DomainLog, Origin } from '../engine/domain.ts'
import { applyStaking } from './apply.ts'
import { isAct, readHappenings } from './happenings.ts'
import { undoStaking } from './undo.ts'

/** Fee staking: pools that pay rewards to those who stake. See docs/staking.md. */
export const staking: Domain = {
  name: 'staking',
  topics: stakingTopics,
  derived: ['staking_positions', 'staking_pools', 'staking_events'],
  readActs,
  findOrigins,
  apply: applyStaking,
  undo: undoStaking,
}

function readActs(logs: readonly DomainLog[]): Act[] {
  return readHappenings(logs)
    .filter(isAct)
    .map(({ kind, wallet, at }) => ({ kind, wallet, at }))
}

/** The creations of pools that the database does not know. */
async function findOrigins(db: Db, logs: readonly DomainLog[]): Promise<Origin[]> {
  const pools = new Map(readHappenings(logs).map(({ pool, contract, number }) => [pool, { contract, number }]))
  if (pools.size === 0) return []
  const known = await db
    .selectFrom('staking_pools')
    .select('id')
    .where('id', 'in', [...pools.keys()])
    .where('created_block', 'is not', null)
    .execute()
  for (const { id } of known) pools.delete(id)
  return [...pools.values()].map(({ contract, number }) => ({
    contract,
    topic: poolCreatedTopic,
    word: numberToHex(number),
  }))
}
