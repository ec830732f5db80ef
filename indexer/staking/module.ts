import { numberToHex } from 'viem'
import { poolCreatedTopic, stakingTopics } from '../../chain/staking-events.ts'
import type { Db } from '../../db/client.ts'
import type { Block } from '../engine/batch.ts'
import { findCreated, keepFirstCreations } from '../engine/keep-first-creations.ts'
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
  openDecoder: async (db, contracts, _blocks, preceding) => ({
    decode: async (blocks, rejectLog) => [
      await keepFirstCreations(
        {
          events: decodeEvents(pickLogs(blocks, contracts.staking), rejectLog),
          preceding: decodeEvents(pickLogs(preceding, contracts.staking)),
        },
        ({ kind, pool }) => (kind === 'create-pool' ? pool : undefined),
        (ids) => findCreated(db, 'staking_pools', ids),
        rejectLog,
      ),
    ],
  }),
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
