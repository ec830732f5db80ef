import { numberToHex } from 'viem'
import { poolCreatedTopic, stakingTopics } from '../../chain/staking-events.ts'
import type { Db } from '../../db/client.ts'
import { findCreated } from '../../db/queries/positions.ts'
import type { Block } from '../engine/batch.ts'
import { findFirstCreations } from '../engine/first-creations.ts'
import { type IndexerModule, type ModuleContracts, type Prerequisite, pickLogs, writeAtEnd } from '../engine/module.ts'
import { applyStaking } from './apply.ts'
import { decodeEvents, isAction, type StakingChainEvent } from './events.ts'
import { toTransaction } from './store-events.ts'
import { undoStaking } from './undo.ts'

/** Fee staking: pools that pay rewards to stakers. See docs/staking.md. */
export const staking: IndexerModule<StakingChainEvent> = {
  name: 'staking',
  deployments: ['staking'],
  topics: stakingTopics,
  creationTopics: [poolCreatedTopic],
  derived: ['staking_positions', 'staking_pools', 'staking_events'],
  async openDecoder(db, contracts, _blocks, creations) {
    const created = decodeEvents(pickLogs(creations, contracts.addresses))
    const pools = await findFirstCreations(
      (ids) => findCreated(db, 'staking_pools', ids),
      created,
      ({ kind, pool }) => (kind === 'create-pool' ? pool : undefined),
    )
    return {
      decode: (blocks, rejectLog) => [
        pools.keep(decodeEvents(pickLogs(blocks, contracts.addresses), rejectLog), rejectLog),
      ],
    }
  },
  findPrerequisites: ({ db }, contracts, block) => findPoolCreations(db, contracts, block),
  openWriter: writeAtEnd(applyStaking),
  undo: undoStaking,
  toTransactions: (events) => events.filter(isAction).map(toTransaction),
}

/** The creations of pools that the database lacks. */
async function findPoolCreations(db: Db, contracts: ModuleContracts, block: Block): Promise<Prerequisite[]> {
  const events = decodeEvents(pickLogs([block], contracts.addresses))
  const pools = new Map(events.map(({ pool, contract, number }) => [pool, { contract, number }]))
  if (pools.size === 0) return []
  const known = await db
    .selectFrom('staking_pools')
    .select('id')
    .where('id', 'in', [...pools.keys()])
    .where('created_block', 'is not', null)
    .execute()
  for (const { id } of known) pools.delete(id)
  return [...pools.values()].map(({ contract, number }) => ({
    addresses: [contract],
    topics: [poolCreatedTopic],
    topic1: numberToHex(number),
  }))
}
