import { setImmediate } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { Statements } from '../../db/postgres/pipeline.ts'
import type { Database } from '../../db/schema.ts'
import { type DecodedEvents, joinEvents } from './decode.ts'
import { keepRecent, listCacheTags, type Written } from './live-events.ts'
import type { Clock, EventWriter, IndexerModule, NotificationRef } from './module.ts'

/** The writers of all modules for a transaction, which adds its events in one or several parts. */
export class EventWriters {
  readonly #clock: Clock
  readonly #writers: readonly { module: IndexerModule; writer: EventWriter }[]
  readonly #cacheTags = new Set<string>()
  #eventCount = 0
  #recent: DecodedEvents[] = []

  constructor(modules: readonly IndexerModule[], trx: Transaction<Database>, clock: Clock, statements: Statements) {
    this.#clock = clock
    this.#writers = modules.map((module) => ({ module, writer: module.openWriter(trx, clock, statements) }))
  }

  /** See EventWriter. */
  get pendingRows(): number {
    return this.#writers.reduce((sum, { writer }) => sum + writer.pendingRows, 0)
  }

  /** Adds the events of a batch, which are decoded meanwhile. Returns to the event loop between parts. */
  async addParts(parts: Iterable<DecodedEvents>): Promise<void> {
    for (const part of parts) {
      await this.#add(part)
      await setImmediate()
    }
  }

  async #add(decoded: DecodedEvents): Promise<void> {
    const events = new Map(decoded.map((own) => [own.module, own.events]))
    for (const { module, writer } of this.#writers) await writer.add(events.get(module) ?? [])
    for (const cacheTag of listCacheTags(decoded)) this.#cacheTags.add(cacheTag)
    for (const { events } of decoded) this.#eventCount += events.length
    // Not all events: those of a backfill take much memory.
    this.#recent.push(keepRecent(decoded, this.#clock.to))
  }

  async finish(): Promise<Omit<Written, 'undone' | 'stored' | 'endsGap'>> {
    let notifications: NotificationRef[] = []
    for (const { writer } of this.#writers) notifications = notifications.concat(await writer.finish())
    const events = this.#recent.reduce<DecodedEvents>(joinEvents, [])
    const tokens = this.#writers.flatMap(({ writer }) => writer.changedTokens ?? [])
    return { events, eventCount: this.#eventCount, cacheTags: this.#cacheTags, tokens, notifications }
  }
}
