import type { Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import type { DomainLog } from '../engine/domain.ts'
import { findCreated, keepFirstCreations } from '../engine/keep-first-creations.ts'
import type { RejectLog } from '../engine/rejected-logs.ts'
import { decodeEvents, type RaiseChainEvent } from './events.ts'

/** Decodes the logs, without repeated creations of raises and proposals. */
export async function decodeEffectiveEvents(
  trx: Transaction<Database>,
  logs: readonly DomainLog[],
  rejectLog?: RejectLog,
): Promise<readonly RaiseChainEvent[]> {
  const events = decodeEvents(logs, rejectLog)
  const raises = await keepFirstCreations(
    events,
    ({ kind, raise }) => (kind === 'raise_create' ? raise : undefined),
    (ids) => findCreated(trx, 'raises', ids),
    rejectLog,
  )
  return keepFirstCreations(
    raises,
    ({ kind, proposal }) => (kind === 'propose' && proposal !== null ? proposal : undefined),
    (ids) => findCreated(trx, 'raise_proposals', ids),
    rejectLog,
  )
}
