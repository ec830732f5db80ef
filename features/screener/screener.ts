import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../db/client.ts'
import {
  findScreened,
  findTokenNumbers,
  listScreened,
  readScreenerState,
  type ScreenedToken,
  type ScreenerState,
} from '../../db/queries/screener.ts'
import { countTokens, type TokenSort } from '../../db/queries/token-list.ts'
import { AppError, define, defineReasons } from '../../errors.ts'
import { statuses } from '../../schemas/screener.ts'
import type { CommittedChange, LiveBus } from '../live/live-event.ts'
import { compileFilter, matchesRow, selectRows, type TokenFilter } from './filters.ts'
import { orderOf, type Paging, type Place, pickPage, placeOf } from './pick-page.ts'
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
/** An address in a cache tag: see cacheTagOf. */
const TOKEN_TAG = 'token:'

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

export interface ScreenRequest extends Paging {
  filter: TokenFilter
  sort: TokenSort
}

/** A token of a list, with its place in the order. */
export interface ScreenedPlace extends Place {
  id: number
}

/** What has changed since the last refresh. */
interface Changes {
  ids: Set<number>
  addresses: Set<string>
  /** All figures must be read. */
  all: boolean
}

const noChanges = (): Changes => ({ ids: new Set(), addresses: new Set(), all: false })

/**
 * The figures of all tokens in the memory of this process, in columns, which follow the changes of the outbox. Every commit names
 * the tokens whose figures or metadata it changes; prices at the start of a window change as the clock moves, and the rows say
 * when. Invariant: all changes up to #current are in the columns.
 */
export class Screener {
  readonly #db: Db
  readonly #live: FollowedBus
  readonly #log: Logger
  readonly #waitMs: number
  readonly #pauseMs: number
  readonly #columns = new TokenColumns()
  #state: ScreenerState = { clock: 0, quoteUsd: null }
  #changes = noChanges()
  #isDirty = false
  /** -1 before the first load. */
  #current = -1
  #pass = 0
  #rows = new Int32Array(0)
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
    return this.#columns.bytes + this.#rows.byteLength
  }

  /** Starts to read the figures, and to follow their changes. */
  start(): void {
    if (this.#unsubscribe !== null || this.#isClosed) return
    const readAll = () => {
      this.#changes.all = true
      this.#refreshSoon()
    }
    this.#unsubscribe = this.#live.subscribeToChanges((change) => this.#note(change), readAll)
    readAll()
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
  list({ filter, sort, limit, offset, after }: ScreenRequest): { places: ScreenedPlace[]; total: number } {
    const columns = this.#columns
    const compiled = compileFilter(restrictTo(sort, filter), this.#state)
    if (compiled === null) return { places: [], total: 0 }
    if (this.#rows.length < columns.size) this.#rows = new Int32Array(columns.flags.length)
    const count = selectRows(columns, compiled, this.#rows)
    const order = orderOf(columns, sort)
    const places = pickPage(order, this.#rows, count, { offset, limit, after }).map((row) => ({
      id: columns.integers.id[row]!,
      ...placeOf(order, row),
    }))
    return { places, total: count }
  }

  /** Whether a token matches a filter. */
  matches(filter: TokenFilter, id: number): boolean {
    const row = this.#columns.rowOf(id)
    const compiled = compileFilter(filter, this.#state)
    return row !== -1 && compiled !== null && matchesRow(this.#columns, compiled, row)
  }

  #note({ seq, cacheTags, tokens }: CommittedChange): void {
    const { ids, addresses } = this.#changes
    const named = cacheTags.filter((tag) => tag.startsWith(TOKEN_TAG))
    const isRelevant = tokens.length > 0 || named.length > 0 || cacheTags.includes('chain')
    if (!isRelevant && this.#current !== -1 && this.#working === null) {
      this.#current = seq
      this.#wake()
      return
    }
    if (tokens === 'all') this.#changes.all = true
    else for (const id of tokens) ids.add(id)
    for (const tag of named) addresses.add(tag.slice(TOKEN_TAG.length))
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
      this.#changes = noChanges()
      // Changes up to this one have been delivered, and committed.
      const { head } = this.#live
      try {
        await this.#refresh(changes)
        this.#current = head
        if (this.#isFailing) this.#log.info({}, 'Figures of the token list are read again')
        this.#isFailing = false
      } catch (error) {
        this.#restore(changes)
        if (this.#isClosed) return
        if (!this.#isFailing) this.#log.warn({ err: error }, 'Figures of the token list cannot be read')
        this.#isFailing = true
        await pause(this.#pauseMs, undefined, { ref: false, signal: this.#closing.signal }).catch(() => {})
      }
      this.#wake()
    }
  }

  /** Reads what has changed in one snapshot, and then puts it into the columns at once. */
  async #refresh({ ids, addresses, all }: Changes): Promise<void> {
    if (all) await this.#load()
    const columns = this.#columns
    const { state, changed, tokens } = await this.#db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (db) => {
        const state = await readScreenerState(db)
        const named = await findTokenNumbers(db, [...addresses])
        const changed = new Set([...ids, ...named, ...columns.findOutdated(state.clock)])
        return { state, changed, tokens: await readTokens(db, [...changed]) }
      })
    for (const token of tokens) {
      changed.delete(token.id)
      columns.put(token, this.#pass)
    }
    // Undone launches.
    for (const id of changed) columns.remove(id)
    this.#state = state
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

  #restore({ ids, addresses, all }: Changes): void {
    this.#isDirty = true
    this.#changes.all ||= all
    for (const id of ids) this.#changes.ids.add(id)
    for (const address of addresses) this.#changes.addresses.add(address)
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

/** The orders `curve` and `graduated` list only tokens of these states. */
function restrictTo(sort: TokenSort, filter: TokenFilter): TokenFilter {
  const { status = statuses } = filter
  if (sort === 'curve') return { ...filter, status: status.filter((one) => one !== 'graduated') }
  if (sort === 'graduated') return { ...filter, status: status.filter((one) => one === 'graduated') }
  return filter
}
