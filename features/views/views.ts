import { setImmediate as nextTurn } from 'node:timers/promises'
import { listTokensByNumber } from '../../db/queries/token-list.ts'
import { AppError } from '../../errors.ts'
import { toTokenRecord } from '../../records/events.ts'
import type { LiveEvent } from '../live/live-event.ts'
import { type Refresh, type RefreshListener, type Screener, screenerReasons } from '../screener/screener.ts'
import { type DefinedView, findNamedView } from './definition.ts'
import { Points, toPoint, toSequence } from './sequence.ts'
import { type TokenRecord, View, type ViewEvent } from './view.ts'

/** How long a subscription waits for the first tokens of its view, or for the commit that it resumes from. */
const WAIT_MS = 2_000
/** Views that nobody follows are kept for clients that reconnect. */
const IDLE_MS = 60_000
/** Rows of a statement. */
const PAGE = 500
/** The event loop is free after this time. */
const TURN_MS = 10
/** Clients of one address may hold at most this fraction (one in five) of a process's views. */
const SHARES = 5

/** There are as many views as there may be. */
export class ViewLimitError extends Error {
  override readonly name = 'ViewLimitError'
}

/** Sends events to the sockets that follow a view. */
interface Audience {
  publish(event: LiveEvent): void
  isHeard(name: string): boolean
}

export interface ViewsOptions {
  screener: Pick<Screener, 'follow' | 'refresh'>
  audience: Audience
  chainId: number
  /** Views of a filter in this process; views with a name of their own do not count. */
  maximum: number
  /** Whether an address may have any number of them. */
  isUnshared?: boolean
  waitMs?: number
  idleMs?: number
}

interface OpenOptions {
  owner: string
  since?: number | undefined
}

/** A view that is kept until its release. */
export interface OpenView {
  view: View
  release(): void
}

/** Views of this process. Each is evaluated once for each refresh of the figures, for all of its sockets. */
export class Views implements RefreshListener {
  readonly #options: ViewsOptions
  readonly #views = new Map<string, View>()
  readonly #points = new Points()
  /** Records of listed tokens, as of the last point. */
  readonly #records = new Map<number, TokenRecord>()
  /** Subscriptions that are being made. */
  readonly #openings = new Map<View, number>()
  /** When a view was followed last. */
  readonly #heardAt = new Map<View, number>()
  #refreshed = Promise.withResolvers<void>()
  #isClosed = false

  constructor(options: ViewsOptions) {
    this.#options = options
    options.screener.follow(this)
  }

  get size(): number {
    return this.#views.size
  }

  /** Number of the last event of every view. */
  get seq(): number {
    return toSequence(this.#points.last)
  }

  /** A view by the name of its channel, if this process has it. */
  find(name: string): View | undefined {
    return this.#views.get(name)
  }

  /**
   * Opens a view that has listed its tokens, and waits until this process is at the commit of `since`. Throws ViewLimitError, and
   * FILTERS_NOT_READY if the tokens are not known in time. `owner` is the address of the client.
   */
  async open(defined: DefinedView, { owner, since }: OpenOptions): Promise<OpenView> {
    const { name } = defined
    const known = this.#views.get(name)
    const isNamed = findNamedView(name) !== undefined
    if (!known && !isNamed) this.#makeRoom(owner)
    const view = known ?? new View(defined, isNamed ? null : owner)
    this.#views.set(name, view)
    const release = this.#hold(view)
    try {
      if (!view.isReady) this.#options.screener.refresh()
      if (!(await this.#waitFor(() => view.isReady && this.#points.last !== -1)))
        throw new AppError(screenerReasons.FILTERS_NOT_READY)
      const point = since === undefined ? null : toPoint(since)
      if (point !== null) await this.#waitFor(() => this.#points.head >= point)
      return { view, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** The events after `since` of a view; null if some of them are not known here. */
  replay(view: View, since: number): ViewEvent[] | null {
    const commit = toPoint(since)
    const from = commit === null ? undefined : this.#points.find(commit)
    return from === undefined ? null : view.replay(from, this.#points.last)
  }

  async onRefresh({ figures, seq, changedAt, changed, isLoad, areRecordsChanged, db }: Refresh): Promise<void> {
    this.#dropIdle()
    const point = changedAt === null && this.#points.last !== -1 ? this.#points.last : seq
    // Nothing has changed since the last point: views that are new list their tokens as of it.
    const due = [...this.#views.values()].filter((view) => point === seq || !view.isReady)
    const listed = new Set([...this.#views.values()].flatMap((view) => (due.includes(view) ? [] : view.listed)))
    let turnedAt = performance.now()
    for (const view of due) {
      for (const id of view.rank({ figures, changed, isLoad })) listed.add(id)
      if (performance.now() - turnedAt < TURN_MS) continue
      await nextTurn()
      turnedAt = performance.now()
    }
    this.#dropRecords(listed, areRecordsChanged ? null : changed)
    await this.#readRecords(db, [...listed])
    if (this.#isClosed) return
    for (const view of due) {
      const { name } = view
      for (const event of view.publish(point, this.#records))
        this.#options.audience.publish({ ...event, rooms: [name] })
    }
    this.#points.add(seq, point === seq ? changedAt : null)
    this.#wake()
  }

  onUnchanged(seq: number): void {
    this.#points.extend(seq)
    this.#wake()
  }

  /** All subscriptions have ended: see SocketHub.loseAll. */
  onLoss(): void {
    this.#points.clear()
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  #hold(view: View): () => void {
    this.#openings.set(view, (this.#openings.get(view) ?? 0) + 1)
    return () => {
      this.#heardAt.set(view, performance.now())
      const left = this.#openings.get(view)! - 1
      if (left > 0) this.#openings.set(view, left)
      else this.#openings.delete(view)
    }
  }

  #isFollowed(view: View): boolean {
    return this.#openings.has(view) || this.#options.audience.isHeard(view.name)
  }

  #dropIdle(): void {
    const { idleMs = IDLE_MS } = this.#options
    const now = performance.now()
    for (const view of this.#views.values()) {
      if (this.#isFollowed(view)) this.#heardAt.set(view, now)
      else if (now - this.#heardAt.get(view)! >= idleMs) this.#drop(view)
    }
  }

  #drop(view: View): void {
    this.#views.delete(view.name)
    this.#heardAt.delete(view)
  }

  /** Drops the view that was not followed for longest, if there is no room for another one. */
  #makeRoom(owner: string): void {
    const { maximum, isUnshared = false } = this.#options
    const counted = [...this.#views.values()].filter((view) => view.owner !== null)
    const idle = counted.filter((view) => !this.#isFollowed(view))
    const share = Math.ceil(maximum / SHARES)
    const own = counted.filter((view) => view.owner === owner && !idle.includes(view))
    if (!isUnshared && own.length >= share) throw new ViewLimitError(`An address may have ${share} views`)
    if (counted.length < maximum) return
    const [oldest] = idle.sort((a, b) => this.#heardAt.get(a)! - this.#heardAt.get(b)!)
    if (!oldest)
      throw new ViewLimitError(`This process has ${maximum} views; use the filter of another one, or try later`)
    this.#drop(oldest)
  }

  /** Keeps the records of listed tokens that are as they were. `changed` are the others; null: all. */
  #dropRecords(listed: ReadonlySet<number>, changed: ReadonlySet<number> | null): void {
    // A block becomes final without a change of its tokens.
    for (const [id, { isConfirmed }] of this.#records)
      if (!listed.has(id) || !isConfirmed || changed === null || changed.has(id)) this.#records.delete(id)
  }

  async #readRecords(db: Refresh['db'], listed: readonly number[]): Promise<void> {
    const missing = listed.filter((id) => !this.#records.has(id))
    for (let at = 0; at < missing.length; at += PAGE) {
      for (const { id, ...row } of await listTokensByNumber(db, missing.slice(at, at + PAGE))) {
        const json = JSON.stringify(toTokenRecord(row, this.#options.chainId))
        this.#records.set(id, { address: row.address, json, isConfirmed: row.confirmed })
      }
    }
  }

  /** Resolves to whether a condition holds, at the latest after the time that a subscription waits. */
  async #waitFor(isTrue: () => boolean): Promise<boolean> {
    const timeout = AbortSignal.timeout(this.#options.waitMs ?? WAIT_MS)
    const ended = new Promise<void>((resolve) => timeout.addEventListener('abort', () => resolve(), { once: true }))
    while (!isTrue()) {
      if (timeout.aborted || this.#isClosed) return false
      await Promise.race([this.#refreshed.promise, ended])
    }
    return true
  }

  #wake(): void {
    this.#refreshed.resolve()
    this.#refreshed = Promise.withResolvers()
  }
}
