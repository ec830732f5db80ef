import type { Db } from '../../db/client.ts'
import {
  DATA_CHANGED,
  EVENTS_MISSING,
  endHistory,
  findOutboxState,
  findTimeline,
  listEvents,
  readChange,
  replayChannel,
} from '../../db/queries/outbox.ts'
import { ALL_CACHE_TAGS, type DataChange, DataVersions } from '../../lib/cache/data-versions.ts'
import type { RedisPlace } from '../../lib/redis/redis-place.ts'
import type { CommittedChange, LiveBus, LiveEvent } from './live-event.ts'
import { type LiveNotifications, listenToOutbox } from './live-postgres.ts'
import type { LiveMessage, LiveRelay } from './live-redis.ts'

/**
 * Poll interval, for lost notifications. Half of the time for which cached answers stay valid without a complete read,
 * so that one slow poll does not empty the cache.
 */
const POLL_MS = 500
/** Events per query. */
const PAGE = 500

type ReadMode = 'deliver' | 'publish'

interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

interface BusOptions {
  db: Db
  /** null: without Redis. */
  redis: RedisPlace | null
  /** The PostgreSQL server whose notifications replace those of Redis; null for PGlite, which serves one process. */
  databaseUrl?: string | null
  log: Logger
  pollMs?: number
}

/** Opens the bus of this process after the last stored event. Rejects if the database is unavailable. */
export async function openLiveBus(options: BusOptions): Promise<LiveBus> {
  const { db, redis, databaseUrl = null, log, pollMs = POLL_MS } = options
  const startedAt = performance.now()
  const { channel, last } = (await findOutboxState(db)) ?? { channel: '', last: 0 }
  const bus = new Bus(db, log, last)
  if (databaseUrl !== null) bus.history = await openHistory(db)
  bus.versions.confirm(startedAt)
  if (redis !== null) {
    // Imported only when needed: the Redis client is a third of the modules that the services load.
    const { openRedisRelay } = await import('./live-redis.ts')
    bus.relay = openRedisRelay(redis, { channel, log, onMessage: (message) => bus.receive(message) })
  } else if (databaseUrl !== null) {
    bus.notifications = listenToOutbox(databaseUrl, { log, onCommit: (last) => bus.noteCommitted(last) })
  }
  bus.poll(pollMs)
  return bus
}

/** The timeline that this process has seen; undefined where the server has none, such as some hosted ones. */
interface History {
  timeline: number | null
}

/** undefined_function, insufficient_privilege, feature_not_supported */
const NO_TIMELINE: ReadonlySet<unknown> = new Set(['42883', '42501', '0A000'])

async function openHistory(db: Db): Promise<History | undefined> {
  try {
    return { timeline: await findTimeline(db) }
  } catch (error) {
    if (NO_TIMELINE.has((error as { code?: unknown }).code)) return undefined
    throw error
  }
}

interface Listener {
  onEvent(event: LiveEvent): void
  onLoss?: (() => void) | undefined
}

interface ChangeListener {
  onChange(change: CommittedChange): void
  onLoss(): void
}

/**
 * Delivers every event to every listener once, in seq order. Invariant: #head only moves to the next stored event. If
 * `prev` of a message is past #head, the outbox is read instead: it is complete in seq order (see enqueueEvents), so
 * messages may be lost, duplicated or late. One task at a time moves #head.
 */
class Bus implements LiveBus {
  relay: LiveRelay | undefined
  notifications: LiveNotifications | undefined
  history: History | undefined
  readonly versions: DataVersions
  readonly #db: Db
  readonly #log: Logger
  readonly #listeners = new Set<Listener>()
  readonly #changeListeners = new Set<ChangeListener>()
  readonly #received: LiveMessage[] = []
  #head: number
  /** A read of the outbox is due: to deliver its events here only, or also to publish them to the other processes. */
  #pendingRead: ReadMode | null = null
  /** Delivered locally, not yet published. */
  #unpublished = false
  #working: Promise<void> | null = null
  #failing = false
  #closed = false
  /** The next read is one that poll() has started. */
  #isPolling = false
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, log: Logger, head: number) {
    this.#db = db
    this.#log = log
    this.#head = head
    this.versions = new DataVersions(head)
  }

  get head(): number {
    return this.#head
  }

  subscribe(onEvent: (event: LiveEvent) => void, onLoss?: () => void): () => void {
    // A listener that subscribes twice can unsubscribe once.
    const entry = { onEvent, onLoss }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  subscribeToChanges(onChange: (change: CommittedChange) => void, onLoss: () => void): () => void {
    const entry = { onChange, onLoss }
    this.#changeListeners.add(entry)
    return () => void this.#changeListeners.delete(entry)
  }

  async replay(channel: string, since: number, limit: number): Promise<{ events: LiveEvent[]; complete: boolean }> {
    return await replayChannel(this.#db, { channel, since, limit })
  }

  notifyCommitted(change?: DataChange): void {
    if (change) this.versions.advance(change)
    this.#requestRead('publish')
  }

  /** Another process, or this one, has committed events up to `last`. */
  noteCommitted(last: number): void {
    if (last > this.#head) this.#requestRead('deliver')
  }

  receive(message: LiveMessage): void {
    this.#received.push(message)
    this.#startWork()
  }

  poll(everyMs: number): void {
    // Other processes may have missed the events that polling finds: publish them.
    this.#timer = setInterval(() => {
      this.#isPolling = true
      this.#requestRead('publish')
    }, everyMs)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    this.#listeners.clear()
    this.#changeListeners.clear()
    await this.relay?.close()
    await this.notifications?.close()
    await this.#working
  }

  #requestRead(mode: ReadMode): void {
    if (this.#pendingRead !== 'publish') this.#pendingRead = mode
    this.#startWork()
  }

  #startWork(): void {
    if (this.#closed) return
    this.#working ??= this.#runWork().finally(() => {
      this.#working = null
      // Requested after the last turn of the loop, which has ended and did not see it.
      if (this.#pendingRead !== null || this.#received.length > 0) this.#startWork()
    })
  }

  async #runWork(): Promise<void> {
    while (!this.#closed) {
      const message = this.#received.shift()
      if (message) {
        this.#applyMessage(message)
        continue
      }
      if (this.#pendingRead === null) return
      const mode = this.#pendingRead
      this.#pendingRead = null
      try {
        await this.#readTable(mode)
        if (this.#failing) this.#log.info({}, 'Live events are read again')
        this.#failing = false
      } catch (error) {
        // The next poll retries.
        if (!this.#failing && !this.#closed) this.#log.warn({ err: error }, 'Live events cannot be read')
        this.#failing = true
      }
    }
  }

  #applyMessage({ prev, last, events }: LiveMessage): void {
    if (last <= this.#head) return
    if (prev > this.#head || !events) this.#pendingRead ??= 'deliver'
    else for (const event of events) if (event.seq > this.#head) this.#deliver(event)
  }

  async #readTable(mode: ReadMode): Promise<void> {
    if (this.history && this.#isPolling) await this.#checkTimeline(this.history)
    this.#isPolling = false
    for (;;) {
      const prev = this.#head
      const startedAt = performance.now()
      const events = await listEvents(this.#db, { after: prev, limit: PAGE })
      const last = events.at(-1)?.seq
      if (this.#closed) return
      if (mode === 'publish' && last === undefined && this.#unpublished) this.relay?.publish({ prev, last: prev })
      this.#unpublished = mode === 'deliver' && (this.#unpublished || last !== undefined)
      for (const event of events) this.#deliver(event)
      if (mode === 'publish' && last !== undefined) this.relay?.publish({ prev, last, events })
      if (events.length === PAGE) continue
      this.versions.confirm(startedAt)
      return
    }
  }

  /**
   * Conservative: a promoted replica of a synchronous cluster lacks nothing. But what it lacks is not known here, since other
   * processes may have used its numbers again.
   */
  async #checkTimeline(history: History): Promise<void> {
    const timeline = await findTimeline(this.#db)
    const former = history.timeline
    if (timeline === null || timeline === former) return
    if (former !== null) {
      this.#head = await endHistory(this.#db, Math.max(this.#head, this.versions.head))
      this.versions.advance({ seq: this.#head, cacheTags: ALL_CACHE_TAGS })
      for (const { onLoss } of [...this.#listeners, ...this.#changeListeners]) onLoss?.()
      this.#log.warn(
        { former, timeline },
        'PostgreSQL has another primary, which may lack the last commits: cached responses are dropped, and sockets read again',
      )
    }
    history.timeline = timeline
  }

  #deliver(event: LiveEvent): void {
    this.#head = event.seq
    if (event.type === DATA_CHANGED) {
      const change = { seq: event.seq, ...readChange(event.data) }
      this.versions.advance(change)
      for (const { onChange } of this.#changeListeners) onChange(change)
      return
    }
    if (event.type === EVENTS_MISSING) {
      this.#log.info(
        { seq: event.seq },
        'Events that were too old to be sent are missing: sockets read the state again',
      )
      for (const { onLoss } of this.#listeners) onLoss?.()
      return
    }
    for (const listener of this.#listeners) {
      try {
        const outcome: unknown = listener.onEvent(event)
        if (outcome instanceof Promise) outcome.catch((error) => this.#logListenerError(error))
      } catch (error) {
        this.#logListenerError(error)
      }
    }
  }

  #logListenerError(error: unknown): void {
    this.#log.error({ err: error }, 'A listener of live events failed')
  }
}
