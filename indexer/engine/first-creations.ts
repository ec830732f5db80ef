import type { LogPosition } from '../../db/queries/positions.ts'
import { type EventContext, isAfter, isSame } from './batch.ts'
import { OutOfOrderError } from './errors.ts'
import type { RejectLog } from './rejected-logs.ts'

interface LocatedEvent {
  at: EventContext
  contract: string
}

/** The id of what an event creates; undefined for an event that creates nothing. */
type CreatedId<T> = (event: T) => string | undefined

/** Positions of the stored creations among these ids. */
type FindStored = (ids: readonly string[]) => Promise<ReadonlyMap<string, LogPosition>>

/** The creations that count: something is created once, by the first event with its id. */
export interface FirstCreations<T> {
  /**
   * Drops repeated creations. Throws OutOfOrderError if the database had a later creation of something than these; the events
   * must be among those that it was opened for, or create nothing.
   */
  keep(events: readonly T[], rejectLog: RejectLog): T[]
}

/** creations: events, of which some may be stored. */
export async function findFirstCreations<T extends LocatedEvent>(
  findStored: FindStored,
  creations: readonly T[],
  createdId: CreatedId<T>,
): Promise<FirstCreations<T>> {
  const first = new Map<string, LogPosition>()
  for (const event of creations) {
    const id = createdId(event)
    const known = id === undefined ? undefined : first.get(id)
    if (id !== undefined && (known === undefined || isAfter(known, event.at))) first.set(id, event.at)
  }
  let early: string | undefined
  if (first.size > 0) {
    for (const [id, stored] of await findStored([...first.keys()])) {
      if (isAfter(stored, first.get(id))) early = id
      else first.set(id, stored)
    }
  }
  return {
    keep(events, rejectLog) {
      if (early !== undefined) throw new OutOfOrderError(`${early} was created earlier than the stored creation`)
      return events.filter((event) => {
        const id = createdId(event)
        const counts = id === undefined || isSame(first.get(id), event.at)
        if (!counts) rejectLog(event.at, event.contract, `${id} was created before`)
        return counts
      })
    },
  }
}
