import { numberToHex } from 'viem'
import { poolCreatedTopic, stakingTopics } from '../../chain/staking-events.ts'
import type { Db } from '../../db/client.ts'
import type { Block } from '../engine/batch.ts'
import { findFirstCreations } from '../engine/first-creations.ts'
import { type IndexedContracts, type IndexerModule, type Prerequisite, pickLogs, writeAtEnd } from '../engine/module.ts'
import { applyStaking } from './apply.ts'
import { decodeEvents, isAction, type StakingChainEvent } from './events.ts'
import { toTransaction } from './store-events.ts'
import { undoStaking } from './undo.ts'

/** Fee staking: pools that pay rewards to stakers. See docs/staking.md. */
export const staking: IndexerModule<StakingChainEvent> = {
  name: 'staking',
  topics: stakingTopics,
  creationTopics: [poolCreatedTopic],
  contractsOf: ({ staking }) => staking,
  derived: ['staking_positions', 'staking_pools', 'staking_events'],
  async openDecoder(db, contracts, _blocks, creations) {
    const created = decodeEvents(pickLogs(creations, contracts.staking))
    const pools = await findFirstCreations(db, 'staking_pools', created, ({ kind, pool }) =>
      kind === 'create-pool' ? pool : undefined,
    )
    return {
      decode: (blocks, rejectLog) => [
        pools.keep(decodeEvents(pickLogs(blocks, contracts.staking), rejectLog), rejectLog),
      ],
    }
  },
  findPrerequisites: ({ db }, contracts, block) => findPoolCreations(db, contracts, block),
  openWriter: writeAtEnd(applyStaking),
  undo: undoStaking,
  toTransactions: (events) => events.filter(isAction).map(toTransaction),
}

/** The creations of pools that the database lacks. */
async function findPoolCreations(db: Db, contracts: IndexedContracts, block: Block): Promise<Prerequisite[]> {
  const events = decodeEvents(pickLogs([block], contracts.staking))
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
