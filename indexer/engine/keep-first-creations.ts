import { sql, type Transaction } from 'kysely'
import type { LogPosition } from '../../db/queries/positions.ts'
import type { Database } from '../../db/schema.ts'
import { type EventContext, isAfter, isSame } from './batch.ts'
import type { RejectLog } from './rejected-logs.ts'

/** What the database took for the first of its kind was not, because a receipt was synced ahead of the indexer. */
export class OutOfOrderError extends Error {
  override name = 'OutOfOrderError'
}

interface LocatedEvent {
  at: EventContext
  contract: string
}

/**
 * Without those that make what was made before. A raise, a proposal or a pool is made once: the first event that says so
 * counts, whatever its contract says later. makes: the id of what an event makes; findMade: where those were made that
 * are known. Throws OutOfOrderError if one is known that is later than what is given.
 */
export async function keepFirstCreations<T extends LocatedEvent>(
  events: readonly T[],
  createdId: (event: T) => string | undefined,
  findKnown: (ids: readonly string[]) => Promise<ReadonlyMap<string, LogPosition>>,
  rejectLog?: RejectLog,
): Promise<readonly T[]> {
  const first = new Map<string, LogPosition>()
  for (const event of events) {
    const id = createdId(event)
    if (id !== undefined && !first.has(id)) first.set(id, event.at)
  }
  if (first.size === 0) return events
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

/** Where those of these were created whose creation is known. */
export async function findCreated(
  trx: Transaction<Database>,
  table: 'raises' | 'raise_proposals' | 'staking_pools',
  ids: readonly string[],
): Promise<Map<string, LogPosition>> {
  const { rows } = await sql<{ id: string; created_block: number; created_log: number }>`
    select id, created_block, created_log from ${sql.table(table)}
    where id = any(${ids}::text[]) and created_block is not null`.execute(trx)
  return new Map(rows.map((row) => [row.id, { blockNumber: row.created_block, logIndex: row.created_log }]))
}
