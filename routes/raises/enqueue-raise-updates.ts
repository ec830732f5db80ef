import type { Transaction } from 'kysely'
import { enqueueEvents, type NewEvent } from '../../db/queries/outbox.ts'
import { findRaises } from '../../db/queries/raises/raises.ts'
import type { Database } from '../../db/schema.ts'
import { channels } from '../../records/channels.ts'
import { toEvent } from '../../records/events.ts'
import { toRaise } from '../../records/to-raise.ts'

/** All subscribers receive the same record, without the data of a wallet. */
const NO_COMMITMENT = undefined

/** Enqueues the current records of these raises for subscribers. Call it last in the transaction: see enqueueEvents. */
export async function enqueueRaiseUpdates(trx: Transaction<Database>, raises: readonly string[]): Promise<void> {
  await enqueueEvents(trx, await buildRaiseUpdates(trx, raises))
}

/** raise.updated events with the current records. */
export async function buildRaiseUpdates(trx: Transaction<Database>, raises: readonly string[]): Promise<NewEvent[]> {
  return (await findRaises(trx, raises)).map((row) =>
    toEvent('raise.updated', [channels.raises, channels.raise(row.id)], toRaise(row, NO_COMMITMENT)),
  )
}
