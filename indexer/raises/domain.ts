import { raisesTopics } from '../../chain/raises-events.ts'
import type { Domain } from '../engine/domain.ts'
import { applyRaises, undoRaises } from './apply.ts'
import { decodeEvents } from './events.ts'
import { findRaisePrerequisites } from './find-prerequisites.ts'

/** Raises and their governance. See docs/raises.md. */
export const raises: Domain = {
  name: 'raises',
  topics: raisesTopics,
  derived: ['raise_commitments', 'raise_proposals', 'raises', 'raise_events'],
  readActions: (logs) =>
    decodeEvents(logs).map(({ kind, wallet, at, raise, proposal }) => ({
      ...{ kind, wallet, at },
      subject: (kind === 'vote' || kind === 'execute' ? proposal : null) ?? raise,
    })),
  findPrerequisites: findRaisePrerequisites,
  apply: applyRaises,
  undo: undoRaises,
}
