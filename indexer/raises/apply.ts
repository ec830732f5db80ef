import { sql, type Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import type { DomainLog } from '../engine/domain.ts'
import type { Refuse } from '../engine/refusals.ts'
import { notifyOfRaises } from './notify.ts'
import { readEffective } from './read-effective.ts'
import { refresh } from './refresh.ts'
import { storeEvents } from './store-events.ts'
import { forgetTerms, storeTerms } from './store-terms.ts'

/**
 * Writes what follows from events that are new. They may come in any order: the events are appended, and what they touch is
 * made anew from all that there are. clock: unix seconds.
 */
export async function applyRaises(
  trx: Transaction<Database>,
  logs: readonly DomainLog[],
  clock: number,
  refuse: Refuse,
): Promise<void> {
  const happenings = await readEffective(trx, logs, refuse)
  await storeEvents(trx, happenings)
  await storeTerms(trx, happenings)
  await refresh(trx, happenings, 1)
  await notifyOfRaises(trx, happenings, clock)
}

/** Takes back the events from a height on. Actions and notifications are the caller's. */
export async function undoRaises(trx: Transaction<Database>, logs: readonly DomainLog[], from: number): Promise<void> {
  const happenings = await readEffective(trx, logs)
  await trx.deleteFrom('raise_events').where('block_number', '>=', from).execute()
  await forgetTerms(trx, from)
  await refresh(trx, happenings, -1)
  const raises = happenings.map(({ raise }) => raise)
  const proposals = happenings.flatMap(({ proposal }) => proposal ?? [])
  await sql`delete from raises where id = any(${raises}::text[]) and created_block is null
    and not exists (select from raise_events e where e.raise = raises.id)`.execute(trx)
  await sql`delete from raise_proposals where id = any(${proposals}::text[]) and created_block is null
    and not exists (select from raise_events e where e.proposal = raise_proposals.id)`.execute(trx)
}
