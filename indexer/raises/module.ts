import { raiseEventTopics, raisesTopics } from '../../chain/raises-events.ts'
import { findCreated } from '../../db/queries/positions.ts'
import { findFirstCreations } from '../engine/first-creations.ts'
import { type IndexerModule, pickLogs, writeAtEnd } from '../engine/module.ts'
import { applyRaises, undoRaises } from './apply.ts'
import { decodeEvents, type RaiseChainEvent } from './events.ts'
import { findRaisePrerequisites } from './find-prerequisites.ts'
import { notifyOfRaises } from './notify.ts'
import { notifyOfPassedVotes } from './notify-of-votes.ts'
import { toTransactions } from './store-events.ts'

/** Raises and their governance. See docs/raises.md. */
export const raises: IndexerModule<RaiseChainEvent> = {
  name: 'raises',
  deployments: ['raises'],
  topics: raisesTopics,
  creationTopics: [raiseEventTopics.raise_create, raiseEventTopics.propose],
  derived: ['raise_commitments', 'raise_proposals', 'raises', 'raise_events'],
  async openDecoder(db, contracts, _blocks, creations) {
    const created = decodeEvents(pickLogs(creations, contracts.addresses))
    const raises = await findFirstCreations(
      (ids) => findCreated(db, 'raises', ids),
      created,
      ({ kind, raise }) => (kind === 'raise_create' ? raise : undefined),
    )
    const proposals = await findFirstCreations(
      (ids) => findCreated(db, 'raise_proposals', ids),
      created,
      ({ kind, proposal }) => (kind === 'propose' && proposal !== null ? proposal : undefined),
    )
    return {
      decode(blocks, rejectLog) {
        const events = decodeEvents(pickLogs(blocks, contracts.addresses), rejectLog)
        return [proposals.keep(raises.keep(events, rejectLog), rejectLog)]
      },
    }
  },
  findPrerequisites: ({ db }, contracts, block) =>
    findRaisePrerequisites(db, decodeEvents(pickLogs([block], contracts.addresses))),
  openWriter: writeAtEnd(applyRaises),
  // The commitments before an event may have been unknown to its sync. A unique index prevents a second notification.
  notifyOfStored: notifyOfRaises,
  notifyByTime: notifyOfPassedVotes,
  undo: undoRaises,
  toTransactions,
}
