import type { LiveBus, LiveEvent } from '../../features/live/live-event.ts'
import { DataVersions } from '../../lib/cache/data-versions.ts'

export interface TestEvents extends LiveBus {
  /** Makes something happen; it is in the store, and given to listeners, before this returns. Answers its seq. */
  emit(rooms: string[], type: string, data: unknown): number
  /** Drops the events up to a seq. */
  trim(upTo: number): void
  /** Awaited by replay; a test can delay it or make it fail. */
  beforeReplay: () => Promise<void>
  listeners: number
}

/** An in-process live bus with its own store instead of a database. Numbers events from `start`. */
export function createTestEvents(start = 0): TestEvents {
  const stored: LiveEvent[] = []
  const listeners = new Set<(event: LiveEvent) => void>()
  let head = start
  let trimmed = 0
  const events: TestEvents = {
    get head() {
      return head
    },
    get listeners() {
      return listeners.size
    },
    beforeReplay: async () => {},
    versions: new DataVersions(start),
    notifyCommitted: () => {},
    close: async () => {},
    subscribeToChanges: () => () => {},
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    replay: async (room, since, limit) => {
      await events.beforeReplay()
      const found = stored.filter((event) => event.seq > since && event.rooms.includes(room)).slice(0, limit)
      return { events: found, complete: since >= trimmed }
    },
    emit: (rooms, type, data) => {
      const event = { seq: head + 1, rooms, type, data: JSON.stringify(data) }
      stored.push(event)
      head = event.seq
      for (const listener of listeners) listener(event)
      return event.seq
    },
    trim: (upTo) => {
      trimmed = upTo
      stored.splice(0, stored.findLastIndex(({ seq }) => seq <= upTo) + 1)
    },
  }
  return events
}
