import { sql, type Transaction } from 'kysely'
import type { Database } from '../../db/schema.ts'
import type { Clock, NotificationRef } from '../engine/module.ts'
import type { RaiseChainEvent } from './events.ts'
import { keepTexts, restoreTexts } from './move-texts.ts'
import { notifyOfRaises } from './notify.ts'
import { refreshFigures } from './refresh-figures.ts'
import { storeEvents } from './store-events.ts'
import { clearTerms, storeTerms } from './store-terms.ts'

/**
 * Applies new events. They may come in any order: the events are appended, and the rows they touch are recomputed from
 * all events.
 */
export async function applyRaises(
  trx: Transaction<Database>,
  events: readonly RaiseChainEvent[],
  clock: Clock,
): Promise<NotificationRef[]> {
  if (events.length === 0) return []
  await storeEvents(trx, events)
  await storeTerms(trx, events)
  await restoreTexts(trx, events)
  await refreshFigures(trx, events, 1)
  return notifyOfRaises(trx, events, clock.to)
}

export async function undoRaises(
  trx: Transaction<Database>,
  events: readonly RaiseChainEvent[],
  from: number,
): Promise<readonly number[]> {
  await trx.deleteFrom('raise_events').where('block_number', '>=', from).execute()
  await keepTexts(trx, events)
  await clearTerms(trx, from)
  await refreshFigures(trx, events, -1)
  const raises = events.map(({ raise }) => raise)
  const proposals = events.flatMap(({ proposal }) => proposal ?? [])
  await sql`delete from raises where id = any(${raises}::text[]) and created_block is null
    and not exists (select from raise_events e where e.raise = raises.id)`.execute(trx)
  await sql`delete from raise_proposals where id = any(${proposals}::text[]) and created_block is null
    and not exists (select from raise_events e where e.proposal = raise_proposals.id)`.execute(trx)
  // Figures of no token.
  return []
}
