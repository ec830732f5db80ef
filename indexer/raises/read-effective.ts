import type { Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import type { DomainLog } from '../engine/domain.ts'
import { findCreated, keepFirst } from '../engine/first.ts'
import type { Refuse } from '../engine/refusals.ts'
import { type RaiseHappening, readHappenings } from './happenings.ts'

/** What the logs say, without creations of raises and proposals that were created before. */
export async function readEffective(
  trx: Transaction<Database>,
  logs: readonly DomainLog[],
  refuse?: Refuse,
): Promise<readonly RaiseHappening[]> {
  const happenings = readHappenings(logs, refuse)
  const raises = await keepFirst(
    happenings,
    ({ kind, raise }) => (kind === 'raise_create' ? raise : undefined),
    (ids) => findCreated(trx, 'raises', ids),
    refuse,
  )
  return keepFirst(
    raises,
    ({ kind, proposal }) => (kind === 'propose' && proposal !== null ? proposal : undefined),
    (ids) => findCreated(trx, 'raise_proposals', ids),
    refuse,
  )
}
