import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import type { LogPosition } from '../../db/queries/positions.ts'
import { type EventContext, isAfter, isSame } from './batch.ts'
import { OutOfOrderError } from './conflicts.ts'
import type { RejectLog } from './rejected-logs.ts'

interface LocatedEvent {
  at: EventContext
  contract: string
}

/**
 * Drops repeated creations: a raise, proposal or pool is created once, by the first event. preceding: earlier events
 * that may not be stored yet; createdId: the id that an event creates; findKnown: positions of stored creations. Throws
 * OutOfOrderError if a stored creation is later than a given one.
 */
export async function keepFirstCreations<T extends LocatedEvent>(
  { events, preceding }: { events: readonly T[]; preceding: readonly T[] },
  createdId: (event: T) => string | undefined,
  findKnown: (ids: readonly string[]) => Promise<ReadonlyMap<string, LogPosition>>,
  rejectLog?: RejectLog,
): Promise<T[]> {
  const first = new Map<string, LogPosition>()
  for (const event of [...preceding, ...events]) {
    const id = createdId(event)
    if (id !== undefined && !first.has(id)) first.set(id, event.at)
  }
  if (first.size === 0) return [...events]
  for (const [id, known] of await findKnown([...first.keys()])) {
    const given = first.get(id)
    if (given && isAfter(known, given)) throw new OutOfOrderError(`${id} was created earlier than the stored creation`)
    first.set(id, known)
  }
  return events.filter((event) => {
    const id = createdId(event)
    const counts = id === undefined || isSame(first.get(id), event.at)
    if (!counts) rejectLog?.(event.at, event.contract, `${id} was created before`)
    return counts
  })
}

/** Positions of the stored creations among these ids. */
export async function findCreated(
  db: Db,
  table: 'raises' | 'raise_proposals' | 'staking_pools',
  ids: readonly string[],
): Promise<Map<string, LogPosition>> {
  const { rows } = await sql<{ id: string; created_block: number; created_log: number }>`
    select id, created_block, created_log from ${sql.table(table)}
    where id = any(${ids}::text[]) and created_block is not null`.execute(db)
  return new Map(rows.map((row) => [row.id, { blockNumber: row.created_block, logIndex: row.created_log }]))
}
