import type { Transaction } from 'kysely'
import { announce } from '../../db/queries/outbox.ts'
import { findRaises } from '../../db/queries/raises.ts'
import type { Database } from '../../db/schema.ts'
import { toEvent } from '../../records/events.ts'
import { rooms } from '../../records/rooms.ts'
import { toRaiseRecord } from './to-raise.ts'

/** Lets those who follow these raises have their records as they now are. The last thing that its transaction does. */
export async function announceRaises(trx: Transaction<Database>, raises: readonly string[]): Promise<void> {
  const rows = await findRaises(trx, raises)
  await announce(
    trx,
    rows.map((row) => toEvent('raise.updated', [rooms.raises, rooms.raise(row.id)], toRaiseRecord(row))),
  )
}
