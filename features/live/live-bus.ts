import type { Db } from '../../db/client.ts'
import { findOutboxState, listEvents, replayRoom } from '../../db/queries/outbox.ts'
import type { LiveBus, LiveEvent } from '../../lib/live/live-events.ts'
import { type LiveMessage, type LiveRelay, openRedisRelay } from './live-redis.ts'

/** How soon an event is heard of which no word came: Redis is gone, or there is none and another process wrote it. */
const POLL_MS = 1_000
/** Events read at once. */
const PAGE = 500

interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

interface BusOptions {
  db: Db
  redisUrl: string | null
  log: Logger
  pollMs?: number
}

/** Opens the bus of this process. It begins after the last event that is there. Rejects when the database does not answer. */
export async function openLiveBus({ db, redisUrl, log, pollMs = POLL_MS }: BusOptions): Promise<LiveBus> {
  const { channel, last } = (await findOutboxState(db)) ?? { channel: '', last: 0 }
  const bus = new Bus(db, log, last)
  if (redisUrl !== null) bus.relay = openRedisRelay(redisUrl, { channel, log, onMessage: (said) => bus.hear(said) })
  bus.poll(pollMs)
  return bus
}

/**
 * Gives every event to every listener, once and in order.
 *
 * What must hold: head only ever moves to the next event that there is, so nothing is left out and nothing comes twice. A
 * message of another process says which event comes before those that it carries; if that is not past head, its events
 * after head are the next ones, and else the table is read. The table, in the order of seq, is always right (see announce), so
 * messages may be lost, doubled or late. One thing at a time moves head: what comes meanwhile waits.
 */
class Bus implements LiveBus {
  relay: LiveRelay | undefined
  readonly #db: Db
  readonly #log: Logger
  readonly #listeners = new Set<(event: LiveEvent) => void>()
  readonly #heard: LiveMessage[] = []
  #head: number
  /** The table has to be read; `told`: and the other processes are to hear what is found. */
  #wanted: 'told' | 'silent' | null = null
  /** Found silently, and so perhaps before whoever wrote it here called for it to be told. */
  #untold = false
  #working: Promise<void> | null = null
  #failing = false
  #closed = false
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, log: Logger, head: number) {
    this.#db = db
    this.#log = log
    this.#head = head
  }

  get head(): number {
    return this.#head
  }

  listen(listener: (event: LiveEvent) => void): () => void {
    // One of its own, so that who listens twice can stop once.
    const entry = (event: LiveEvent) => listener(event)
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  async replay(room: string, since: number, limit: number): Promise<{ events: LiveEvent[]; complete: boolean }> {
    return await replayRoom(this.#db, { room, since, limit })
  }

  wake(): void {
    this.#want('told')
  }

  hear(message: LiveMessage): void {
    this.#heard.push(message)
    this.#work()
  }

  poll(everyMs: number): void {
    // What only the table knew of, others may not know either.
    this.#timer = setInterval(() => this.#want('told'), everyMs)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    this.#listeners.clear()
    await this.relay?.close()
    await this.#working
  }

  #want(how: 'told' | 'silent'): void {
    if (this.#wanted !== 'told') this.#wanted = how
    this.#work()
  }

  #work(): void {
    if (this.#closed) return
    this.#working ??= this.#workOff().finally(() => {
      this.#working = null
    })
  }

  async #workOff(): Promise<void> {
    while (!this.#closed) {
      const message = this.#heard.shift()
      if (message) {
        this.#take(message)
        continue
      }
      if (this.#wanted === null) return
      const how = this.#wanted
      this.#wanted = null
      try {
        await this.#read(how)
        if (this.#failing) this.#log.info({}, 'Live events are read again')
        this.#failing = false
      } catch (error) {
        // The next poll tries again.
        if (!this.#failing && !this.#closed) this.#log.warn({ err: error }, 'Live events cannot be read')
        this.#failing = true
      }
    }
  }

  #take({ prev, last, events }: LiveMessage): void {
    if (last <= this.#head) return
    if (prev > this.#head || !events) this.#wanted ??= 'silent'
    else for (const event of events) if (event.seq > this.#head) this.#give(event)
  }

  async #read(how: 'told' | 'silent'): Promise<void> {
    for (;;) {
      const prev = this.#head
      const events = await listEvents(this.#db, { after: prev, limit: PAGE })
      const last = events.at(-1)?.seq
      if (this.#closed) return
      if (how === 'told' && last === undefined && this.#untold) this.relay?.publish({ prev, last: prev })
      this.#untold = how === 'silent' && (this.#untold || last !== undefined)
      if (last === undefined) return
      for (const event of events) this.#give(event)
      if (how === 'told') this.relay?.publish({ prev, last, events })
      if (events.length < PAGE) return
    }
  }

  #give(event: LiveEvent): void {
    this.#head = event.seq
    for (const listener of this.#listeners) {
      try {
        const outcome: unknown = listener(event)
        if (outcome instanceof Promise) outcome.catch((error) => this.#report(error))
      } catch (error) {
        this.#report(error)
      }
    }
  }

  #report(error: unknown): void {
    this.#log.error({ err: error }, 'A listener of live events failed')
  }
}
