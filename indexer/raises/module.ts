import { raiseEventTopics, raisesTopics } from '../../chain/raises-events.ts'
import type { Db } from '../../db/client.ts'
import type { Block } from '../engine/batch.ts'
import { findCreated, keepFirstCreations } from '../engine/keep-first-creations.ts'
import { type IndexedContracts, type IndexerModule, pickLogs, writeAtEnd } from '../engine/module.ts'
import type { RejectLog } from '../engine/rejected-logs.ts'
import { applyRaises, undoRaises } from './apply.ts'
import { decodeEvents, type RaiseChainEvent } from './events.ts'
import { findRaisePrerequisites } from './find-prerequisites.ts'
import { toTransactions } from './store-events.ts'

/** Raises and their governance. See docs/raises.md. */
export const raises: IndexerModule<RaiseChainEvent> = {
  name: 'raises',
  topics: raisesTopics,
  creationTopics: [raiseEventTopics.raise_create, raiseEventTopics.propose],
  contractsOf: ({ raises }) => raises,
  derived: ['raise_commitments', 'raise_proposals', 'raises', 'raise_events'],
  openDecoder: async (db, contracts, _blocks, preceding) => ({
    decode: async (blocks, rejectLog) => [await decodeEffectiveEvents(db, contracts, { blocks, preceding }, rejectLog)],
  }),
  findPrerequisites: ({ db }, contracts, block) =>
    findRaisePrerequisites(db, decodeEvents(pickLogs([block], contracts.raises))),
  openWriter: writeAtEnd(applyRaises),
  undo: undoRaises,
  toTransactions,
}

/** Decodes the logs, without repeated creations of raises and proposals. */
async function decodeEffectiveEvents(
  db: Db,
  contracts: IndexedContracts,
  { blocks, preceding }: { blocks: readonly Block[]; preceding: readonly Block[] },
  rejectLog: RejectLog,
): Promise<RaiseChainEvent[]> {
  const before = decodeEvents(pickLogs(preceding, contracts.raises))
  const withFirstRaises = await keepFirstCreations(
    { events: decodeEvents(pickLogs(blocks, contracts.raises), rejectLog), preceding: before },
    ({ kind, raise }) => (kind === 'raise_create' ? raise : undefined),
    (ids) => findCreated(db, 'raises', ids),
    rejectLog,
  )
  return keepFirstCreations(
    { events: withFirstRaises, preceding: before },
    ({ kind, proposal }) => (kind === 'propose' && proposal !== null ? proposal : undefined),
    (ids) => findCreated(db, 'raise_proposals', ids),
    rejectLog,
  )
}
