import type { ScreenedPlace } from '../screener/search.ts'
import type { DefinedView } from './definition.ts'
import { type FiguresChange, Ranking } from './ranking.ts'
import { toSequence } from './sequence.ts'

/** The record of a token as JSON, as it is at the last refresh. */
export interface TokenRecord {
  address: string
  json: string
  isConfirmed: boolean
}

export interface ViewEvent {
  type: 'view.added' | 'view.updated' | 'view.removed'
  seq: number
  /** JSON. */
  data: string
}

interface ListedToken extends ScreenedPlace {
  record: TokenRecord
  /** The points at which it was added, and at which its record or its place changed last. */
  addedAt: number
  changedAt: number
}

interface RemovedToken {
  address: string
  addedAt: number
  removedAt: number
}

/** Removals that are kept for clients that resume. */
const MAX_REMOVALS = 1_000

type Change = Omit<ViewEvent, 'seq'>

/**
 * A list that follows the figures. A point is the number of the commit that it is at. Events of a point change the list of the former
 * point into its own, applied one after another: removals first, then from top to bottom each token that is new, or whose record
 * or place in the order is another, after the token before it. What has not changed keeps its order.
 */
export class View {
  readonly defined: DefinedView
  /** The address whose request has opened it; null for a view that has its own name. */
  readonly owner: string | null
  readonly #ranking: Ranking
  #tokens: ListedToken[] = []
  readonly #removed: RemovedToken[] = []
  /** Points from this one on can be resumed from; -1 before the first. */
  #firstPoint = -1
  #snapshot: string | null = null

  constructor(defined: DefinedView, owner: string | null) {
    this.defined = defined
    this.owner = owner
    this.#ranking = new Ranking(defined.definition)
  }

  get name(): string {
    return this.defined.name
  }

  get isReady(): boolean {
    return this.#firstPoint !== -1
  }

  /** Numbers of the tokens, in order. */
  get listed(): readonly number[] {
    return this.#tokens.map(({ id }) => id)
  }

  /** Moves to other figures. Returns the numbers of the tokens whose records publish() needs. */
  rank(change: FiguresChange): readonly number[] {
    this.#ranking.update(change)
    return this.#ranking.first.map(({ id }) => id)
  }

  /** Lists the ranked tokens as of a point. Returns the events, none for the first point. */
  publish(point: number, records: ReadonlyMap<number, TokenRecord>): ViewEvent[] {
    const former = new Map(this.#tokens.map((token) => [token.id, token]))
    const changes: Change[] = []
    const tokens: ListedToken[] = []
    for (const place of this.#ranking.first) {
      const record = records.get(place.id)
      if (record === undefined) throw new Error(`The record of token ${place.id} is not read`)
      const known = former.get(place.id)
      former.delete(place.id)
      if (known && isSame(known, place) && known.record.json === record.json) {
        tokens.push(known)
        continue
      }
      const after = tokens.at(-1)?.record.address ?? null
      changes.push(toChange(known ? 'view.updated' : 'view.added', record, after))
      tokens.push({ ...place, record, addedAt: known?.addedAt ?? point, changedAt: point })
    }
    this.#tokens = tokens
    if (!this.isReady) {
      this.#firstPoint = point
      return []
    }
    const removed = [...former.values()].map(({ record, addedAt }) => ({
      ...{ address: record.address, addedAt, removedAt: point },
    }))
    this.#keepRemovals(removed)
    const all = [...removed.map(toRemoval), ...changes]
    if (all.length > 0) this.#snapshot = null
    return toEvents(point, all)
  }

  /** The records of the list as a JSON array. */
  get snapshot(): string {
    this.#snapshot ??= `[${this.#tokens.map(({ record }) => record.json).join(',')}]`
    return this.#snapshot
  }

  /** The events that change the list of a former point into the present one; null if they are not known. */
  replay(from: number, point: number): ViewEvent[] | null {
    if (!this.isReady || from < this.#firstPoint) return null
    const listed = new Set(this.#tokens.map(({ record }) => record.address))
    const gone = this.#removed.filter(({ addedAt, removedAt }) => addedAt <= from && removedAt > from)
    const removals = [...new Set(gone.map(({ address }) => address))].filter((address) => !listed.has(address))
    const wasListed = new Set(gone.map(({ address }) => address))
    const changes = this.#tokens.flatMap(({ record, addedAt, changedAt }, index) => {
      if (changedAt <= from) return []
      const after = this.#tokens[index - 1]?.record.address ?? null
      const isNew = addedAt > from && !wasListed.has(record.address)
      return [toChange(isNew ? 'view.added' : 'view.updated', record, after)]
    })
    return toEvents(point, [...removals.map((address) => toRemoval({ address })), ...changes])
  }

  #keepRemovals(removed: readonly RemovedToken[]): void {
    this.#removed.push(...removed)
    const dropped = this.#removed.splice(0, this.#removed.length - MAX_REMOVALS)
    // Clients at or after the last dropped removal know of it.
    if (dropped.length > 0) this.#firstPoint = Math.max(this.#firstPoint, dropped.at(-1)!.removedAt)
  }
}

const isSame = (a: ScreenedPlace, b: ScreenedPlace): boolean => a.key === b.key && a.tie === b.tie

const toChange = (type: Change['type'], { json }: TokenRecord, after: string | null): Change => ({
  type,
  data: `{"after":${after === null ? 'null' : `"${after}"`},"token":${json}}`,
})

const toRemoval = ({ address }: { address: string }): Change => ({
  type: 'view.removed',
  data: `{"address":"${address}"}`,
})

/** The last event of a point completes it: see toSequence. */
const toEvents = (point: number, changes: readonly Change[]): ViewEvent[] =>
  changes.map((change, index) => ({ ...change, seq: toSequence(point, changes.length - 1 - index) }))
