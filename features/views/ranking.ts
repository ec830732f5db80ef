import type { ScreenerState } from '../../db/queries/screener.ts'
import type { TokenOrdering } from '../../schemas/screener.ts'
import {
  type CompiledFilter,
  compileFilter,
  dependsOnPrice,
  matchesRow,
  type TokenFilter,
} from '../screener/filters.ts'
import { isPlaceBefore, type Order, orderOf, type Place, placeOf } from '../screener/pick-page.ts'
import { type Figures, restrictTo, type ScreenedPlace, searchTokens } from '../screener/search.ts'

/** What a view lists. */
export interface ViewDefinition {
  filter: TokenFilter
  order: TokenOrdering
  limit: number
}

/** Tokens that are kept beyond the limit, so that few removals need a search of all tokens. */
const SPARE = 32

export interface FiguresChange {
  figures: Figures
  /** Numbers of the tokens whose figures may be others. */
  changed: Iterable<number>
  /** All figures may be others. */
  isLoad: boolean
}

/**
 * The first tokens of a view, kept by what changes. Invariant: of all tokens that match, those up to #boundary are in #places, in
 * order; without a boundary, all.
 */
export class Ranking {
  readonly #definition: ViewDefinition
  readonly #filter: TokenFilter
  #places: ScreenedPlace[] = []
  #boundary: Place | null = null
  #state: ScreenerState | null = null

  constructor(definition: ViewDefinition) {
    this.#definition = definition
    this.#filter = restrictTo(definition.order.sort, definition.filter)
  }

  /** The tokens of the view, in order. */
  get first(): readonly ScreenedPlace[] {
    return this.#places.slice(0, this.#definition.limit)
  }

  update({ figures, changed, isLoad }: FiguresChange): void {
    const former = this.#state
    const { columns, state } = figures
    this.#state = { ...state }
    const isOther =
      former === null ||
      isLoad ||
      // After a reorg.
      state.clock < former.clock ||
      (state.nativeUsd !== former.nativeUsd && dependsOnPrice(this.#filter))
    if (isOther) {
      this.#search(figures)
      return
    }
    const filter = compileFilter(this.#filter, state)
    // No price of the native coin, or none at which a token has such a value.
    if (filter === null) return
    const order = orderOf(columns, this.#definition.order)
    const moved = new Set([...changed, ...this.#listAged(figures, former.clock)])
    this.#places = this.#places.filter(({ id }) => !moved.has(id))
    for (const id of moved) this.#insert(figures, filter, order, id)
    if (this.#boundary !== null && this.#places.length < this.#definition.limit) this.#search(figures)
  }

  /** The tokens that the time alone may have moved into an age, and those that it may have moved out of one. */
  #listAged({ columns, state }: Figures, formerClock: number): number[] {
    const age = this.#filter.ranges.find(({ name }) => name === 'age')
    if (age === undefined || state.clock === formerClock) return []
    const entered = Number.isFinite(age.min) ? columns.findCreated(formerClock - age.min, state.clock - age.min) : []
    return Number.isFinite(age.max) ? [...entered, ...this.#places.map(({ id }) => id)] : entered
  }

  #insert({ columns }: Figures, filter: CompiledFilter, order: Order, id: number): void {
    const row = columns.rowOf(id)
    if (row === -1 || !matchesRow(columns, filter, row)) return
    const place = { id, ...placeOf(order, row) }
    if (this.#boundary !== null && isPlaceBefore(order, this.#boundary, place)) return
    const places = this.#places
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isPlaceBefore(order, places[middle]!, place)) low = middle + 1
      else high = middle
    }
    places.splice(low, 0, place)
    if (places.length <= this.#definition.limit + SPARE) return
    places.pop()
    this.#boundary = toPlace(places.at(-1)!)
  }

  #search(figures: Figures): void {
    const { order, limit } = this.#definition
    const paging = { limit: limit + SPARE, offset: 0, after: null }
    const { places, total } = searchTokens(figures, { filter: this.#filter, order, ...paging })
    this.#places = places
    this.#boundary = total > places.length ? toPlace(places.at(-1)!) : null
  }
}

const toPlace = ({ key, tie }: Place): Place => ({ key, tie })
