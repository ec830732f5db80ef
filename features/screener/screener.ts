import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../db/client.ts'
import { listLaterChanges } from '../../db/queries/outbox.ts'
import {
  findScreened,
  findTokenNumbers,
  listScreened,
  readScreenerState,
  type ScreenedToken,
  type ScreenerState,
} from '../../db/queries/screener.ts'
import { countTokens } from '../../db/queries/token-list.ts'
import { AppError, define, defineReasons } from '../../errors.ts'
import type { CommittedChange, LiveBus } from '../live/live-event.ts'
import { PendingChanges } from './changes.ts'
import { compileFilter, matchesRow, type TokenFilter } from './filters.ts'
import { type Figures, RowBuffer, type ScreenedPlace, type ScreenRequest, searchTokens } from './search.ts'
import { TokenColumns } from './token-columns.ts'

export const screenerReasons = defineReasons({
  FILTERS_NOT_READY: define(503, 'The token list cannot be filtered yet: its figures are being read; retry shortly'),
})

/** Rows of a statement: the event loop is free between them. */
const PAGE = 2_000
/** How long a request waits for the figures of the last commit. */
const WAIT_MS = 2_000
const RETRY_SECONDS = 2
/** Pause after a failed read. */
const PAUSE_MS = 1_000
/** Values of the number of a load, which is a byte. */
const PASSES = 256

interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

type FollowedBus = Pick<LiveBus, 'head' | 'versions' | 'subscribeToChanges'>

export interface ScreenerOptions {
  db: Db
  live: FollowedBus
  log: Logger
  waitMs?: number
  pauseMs?: number
}

/** Figures that have been read again. */
export interface Refresh {
  figures: Figures
  /** All commits up to this one, and no later one, are in the figures. */
  seq: number
  /** The last commit that changed figures or records. Since then they were the same; null if they were so before, too. */
  changedAt: number | null
  /** Numbers of the tokens whose figures or records may be others. */
  changed: ReadonlySet<number>
  /** All figures were read. */
  isLoad: boolean
  /** The records of all tokens may be others. */
  areRecordsChanged: boolean
  /** The snapshot of these commits. */
  db: Db
}

/** Is given the figures after each refresh, at each of which they are those of one commit. */
export interface RefreshListener {
  /** The figures stay as they are until it resolves. If it rejects, the refresh is repeated. */
  onRefresh(refresh: Refresh): Promise<void>
  /** Commits up to this one have changed nothing. */
  onUnchanged(seq: number): void
  /** Numbers of commits that were given may be used again by others. */
  onLoss(): void
}

/**
 * The figures of all tokens in the memory of this process, in columns, which follow the changes of the outbox. Every commit names
 * the tokens whose figures or metadata it changes; prices at the start of a window change as the clock moves, and the rows say
 * when. Invariant: all changes up to #current are in the columns, and after a refresh no later ones.
 */
export class Screener {
  readonly #db: Db
  readonly #live: FollowedBus
  readonly #log: Logger
  readonly #waitMs: number
  readonly #pauseMs: number
  readonly #columns = new TokenColumns()
  readonly #rows = new RowBuffer()
  #state: ScreenerState = { clock: 0, nativeUsd: null, quotes: {} }
  #changes = new PendingChanges()
  #isDirty = false
  #listener: RefreshListener | null = null
  /** -1 before the first load. */
  #current = -1
  #pass = 0
  #working: Promise<void> | null = null
  #isFailing = false
  #unsubscribe: (() => void) | null = null
  readonly #closing = new AbortController()
  readonly #waiting = new Set<() => void>()

  constructor({ db, live, log, waitMs = WAIT_MS, pauseMs = PAUSE_MS }: ScreenerOptions) {
    this.#db = db
    this.#live = live
    this.#log = log
    this.#waitMs = waitMs
    this.#pauseMs = pauseMs
  }

  get size(): number {
    return this.#columns.size
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** Memory of the columns. */
  get bytes(): number {
    return this.#columns.bytes + this.#rows.bytes
  }

  /** Starts to read the figures, and to follow their changes. */
  start(): void {
    if (this.#unsubscribe !== null || this.#isClosed) return
    const readAll = () => {
      this.#changes.isLoad = true
      this.#refreshSoon()
    }
    const lose = () => {
      this.#listener?.onLoss()
      readAll()
    }
    this.#unsubscribe = this.#live.subscribeToChanges((change) => this.#note(change), lose)
    readAll()
  }

  /** Gives the figures of each refresh to a listener, the only one. */
  follow(listener: RefreshListener): void {
    this.#listener = listener
  }

  /** Starts a refresh, also if nothing has changed. */
  refresh(): void {
    this.start()
    this.#changes.isRequested = true
    this.#refreshSoon()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#unsubscribe?.()
    this.#wake()
    await this.#working
  }

  /**
   * Resolves when every change that this process knew at the call is in the columns. Throws FILTERS_NOT_READY if that takes
   * longer than a request should wait.
   */
  async catchUp(): Promise<void> {
    this.start()
    const { head } = this.#live.versions
    const deadline = performance.now() + this.#waitMs
    while (this.#current < head) {
      const left = deadline - performance.now()
      if (left <= 0 || this.#isClosed)
        throw new AppError(screenerReasons.FILTERS_NOT_READY, {}, { retryAfter: RETRY_SECONDS })
      await this.#wait(left)
    }
  }

  /** The tokens of a page, and the number of all that match. Call catchUp before. */
  list(request: ScreenRequest): { places: ScreenedPlace[]; total: number } {
    return searchTokens(this.#figures, request)
  }

  /** Whether a token matches a filter. */
  matches(filter: TokenFilter, id: number): boolean {
    const row = this.#columns.rowOf(id)
    const compiled = compileFilter(filter, this.#state)
    return row !== -1 && compiled !== null && matchesRow(this.#columns, compiled, row)
  }

  get #figures(): Figures {
    return { columns: this.#columns, state: this.#state, rows: this.#rows }
  }

  #note(change: CommittedChange): void {
    // The snapshot of a refresh may have had it before the bus.
    if (change.seq <= this.#current) return
    const isRelevant = this.#changes.add(change)
    if (!isRelevant && this.#current !== -1 && this.#working === null) {
      this.#current = change.seq
      this.#listener?.onUnchanged(change.seq)
      this.#wake()
      return
    }
    this.#refreshSoon()
  }

  #refreshSoon(): void {
    this.#isDirty = true
    this.#working ??= this.#work().finally(() => {
      this.#working = null
      // Noted after the last turn of the loop.
      if (this.#isDirty && !this.#isClosed) this.#refreshSoon()
    })
  }

  async #work(): Promise<void> {
    while (this.#isDirty && !this.#isClosed) {
      this.#isDirty = false
      const changes = this.#changes
      this.#changes = new PendingChanges()
      // Changes up to this one have been delivered, and committed.
      const { head } = this.#live
      try {
        await this.#refresh(changes, head)
        if (this.#isFailing) this.#log.info({}, 'Figures of the token list are read again')
        this.#isFailing = false
      } catch (error) {
        this.#changes.merge(changes)
        this.#isDirty = true
        if (this.#isClosed) return
        if (!this.#isFailing) this.#log.warn({ err: error }, 'Figures of the token list cannot be read')
        this.#isFailing = true
        await pause(this.#pauseMs, undefined, { ref: false, signal: this.#closing.signal }).catch(() => {})
      }
      this.#wake()
    }
  }

  /**
   * Reads what has changed in one snapshot, and then puts it into the columns at once. The snapshot may have commits that were not
   * delivered yet: the outbox names what they changed, so the columns are those of the snapshot's last commit.
   */
  async #refresh(changes: PendingChanges, head: number): Promise<void> {
    const { isLoad } = changes
    if (isLoad) await this.#load()
    const columns = this.#columns
    await this.#db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (db) => {
        const state = await readScreenerState(db)
        const later = await listLaterChanges(db, head)
        for (const change of later.changes) changes.add(change)
        const named = await findTokenNumbers(db, [...changes.addresses])
        const changed = new Set([...changes.ids, ...named, ...columns.findOutdated(state.clock)])
        const tokens = await readTokens(db, [...changed])
        this.#put(tokens, changed)
        // Noted, in case the refresh is repeated.
        for (const id of changed) changes.ids.add(id)
        changes.areRecordsChanged ||= isLoad || state.nativeUsd !== this.#state.nativeUsd
        this.#state = state
        // A later commit may have changed all tokens, which a next refresh reads: then these are of no single commit.
        const isExact = changes.isLoad === isLoad
        const seq = isExact ? later.last : head
        this.#current = Math.max(this.#current, seq)
        if (isExact) this.#dropNoted(seq)
        else this.#loadSoon()
        this.#wake()
        if (!isExact || this.#isClosed) return
        await this.#listener?.onRefresh({
          ...{ figures: this.#figures, seq, changedAt: changes.changedAt ?? (isLoad ? seq : null) },
          ...{ changed: changes.ids, isLoad, areRecordsChanged: changes.areRecordsChanged, db },
        })
      })
  }

  #put(tokens: readonly ScreenedToken[], changed: ReadonlySet<number>): void {
    const undone = new Set(changed)
    for (const token of tokens) {
      undone.delete(token.id)
      this.#columns.put(token, this.#pass)
    }
    for (const id of undone) this.#columns.remove(id)
  }

  /** Changes that were delivered meanwhile, and that the snapshot had already, need not be read again. */
  #dropNoted(seq: number): void {
    const { last, isLoad, isRequested } = this.#changes
    if (last > seq || isLoad || isRequested) return
    this.#changes = new PendingChanges()
    this.#isDirty = false
  }

  #loadSoon(): void {
    this.#changes.isLoad = true
    this.#isDirty = true
  }

  /**
   * Reads all tokens in pages, without a snapshot, which would keep the database from cleaning up. Changes meanwhile are delivered,
   * and read next.
   */
  async #load(): Promise<void> {
    const startedAt = performance.now()
    const columns = this.#columns
    this.#pass = (this.#pass + 1) % PASSES
    columns.reserve(await countTokens(this.#db, 'newest'))
    for (let after = 0; !this.#isClosed; ) {
      const tokens = await listScreened(this.#db, { after, limit: PAGE })
      for (const token of tokens) columns.put(token, this.#pass)
      if (tokens.length < PAGE) break
      after = tokens.at(-1)!.id
    }
    if (this.#isClosed) return
    columns.removeOthers(this.#pass)
    const seconds = Math.round(performance.now() - startedAt) / 1_000
    this.#log.info({ tokens: columns.size, seconds }, 'Figures of the token list are read')
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#waiting.delete(end)
        resolve()
      }
      const timer = setTimeout(end, milliseconds)
      this.#waiting.add(end)
    })
  }

  #wake(): void {
    for (const end of [...this.#waiting]) end()
  }
}

async function readTokens(db: Db, ids: readonly number[]): Promise<ScreenedToken[]> {
  const tokens: ScreenedToken[] = []
  for (let at = 0; at < ids.length; at += PAGE) {
    for (const token of await findScreened(db, ids.slice(at, at + PAGE))) tokens.push(token)
  }
  return tokens
}
