import type { ScreenerState } from '../../db/queries/screener.ts'
import { statuses, type TokenOrdering } from '../../schemas/screener.ts'
import { compileFilter, selectRows, type TokenFilter } from './filters.ts'
import { orderOf, type Paging, type Place, pickPage, placeOf } from './pick-page.ts'
import type { TokenColumns } from './token-columns.ts'

export interface ScreenRequest extends Paging {
  filter: TokenFilter
  order: TokenOrdering
}

/** A token of a list, with its place in the order. */
export interface ScreenedPlace extends Place {
  id: number
}

/** Room for the rows of a search, which all searches of a process share. */
export class RowBuffer {
  #rows = new Int32Array(0)

  get bytes(): number {
    return this.#rows.byteLength
  }

  /** An array with room for all rows of these columns. */
  fit({ size, flags }: TokenColumns): Int32Array {
    if (this.#rows.length < size) this.#rows = new Int32Array(flags.length)
    return this.#rows
  }
}

/** The figures of all tokens. */
export interface Figures {
  columns: TokenColumns
  state: ScreenerState
  rows: RowBuffer
}

/** The tokens of a page, and the number of all that match. */
export function searchTokens(
  { columns, state, rows }: Figures,
  { filter, order: ordering, limit, offset, after }: ScreenRequest,
): { places: ScreenedPlace[]; total: number } {
  const compiled = compileFilter(restrictTo(ordering.sort, filter), state)
  if (compiled === null) return { places: [], total: 0 }
  const found = rows.fit(columns)
  const total = selectRows(columns, compiled, found)
  const order = orderOf(columns, ordering)
  const places = pickPage(order, found, total, { offset, limit, after }).map((row) => ({
    id: columns.integers.id[row]!,
    ...placeOf(order, row),
  }))
  return { places, total }
}

/** The orders `curve` and `graduated` list only tokens of these states. */
export function restrictTo(sort: TokenOrdering['sort'], filter: TokenFilter): TokenFilter {
  const { status = statuses } = filter
  if (sort === 'curve') return { ...filter, status: status.filter((one) => one !== 'graduated') }
  if (sort === 'graduated') return { ...filter, status: status.filter((one) => one === 'graduated') }
  return filter
}
