import type { Transaction } from 'kysely'
import { enqueueEvents } from '../../db/queries/outbox.ts'
import { findRaises } from '../../db/queries/raises.ts'
import type { Database } from '../../db/schema.ts'
import { channels } from '../../records/channels.ts'
import { toEvent } from '../../records/events.ts'
import { toRaise } from '../../records/to-raise.ts'

/** All subscribers receive the same record, without the data of a wallet. */
const NO_COMMITMENT = undefined

/** Enqueues the current records of these raises for subscribers. Call it last in the transaction: see enqueueEvents. */
export async function enqueueRaiseUpdates(trx: Transaction<Database>, raises: readonly string[]): Promise<void> {
  const rows = await findRaises(trx, raises)
  await enqueueEvents(
    trx,
    rows.map((row) => toEvent('raise.updated', [channels.raises, channels.raise(row.id)], toRaise(row, NO_COMMITMENT))),
  )
}
