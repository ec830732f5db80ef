import type { TokenSort } from '../../db/queries/token-list.ts'
import type { TokenColumns } from './token-columns.ts'

/** The place of a token in an order: its value, and what orders equal values. */
export interface Place {
  value: number
  tie: number
}

/** Columns of an order. Larger values come first, and of equal values the larger or the smaller tie. */
export interface Order {
  values: Float64Array
  ties: Int32Array
  largerTieFirst: boolean
}

export function orderOf({ floats, integers }: TokenColumns, sort: TokenSort): Order {
  const byId = (values: Float64Array): Order => ({ values, ties: integers.id, largerTieFirst: false })
  switch (sort) {
    case 'trending':
      return byId(floats.trend)
    case 'mcap':
      return byId(floats.marketCap)
    case 'volume':
      return byId(floats.volumeH24)
    case 'curve':
      return byId(floats.progress)
    case 'newest':
      return { values: floats.createdBlock, ties: integers.createdLog, largerTieFirst: true }
    case 'graduated':
      return { values: floats.graduatedBlock, ties: integers.graduatedLog, largerTieFirst: true }
  }
}

export const placeOf = ({ values, ties }: Order, row: number): Place => ({ value: values[row]!, tie: ties[row]! })

function isBefore(order: Order, value: number, tie: number, otherValue: number, otherTie: number): boolean {
  if (value !== otherValue) return value > otherValue
  return order.largerTieFirst ? tie > otherTie : tie < otherTie
}

/**
 * The first `limit` of these rows in an order, after a place. Keeps the best rows so far in a heap with the last of them at its
 * root: nearly every row is compared with the root alone.
 */
export function pickFirst(
  order: Order,
  rows: Int32Array,
  { count, limit, after }: { count: number; limit: number; after: Place | null },
): number[] {
  const { values, ties } = order
  const heap: number[] = []
  const isRowBefore = (a: number, b: number) => isBefore(order, values[a]!, ties[a]!, values[b]!, ties[b]!)
  for (let at = 0; at < count; at++) {
    const row = rows[at]!
    if (heap.length === limit && !isRowBefore(row, heap[0]!)) continue
    if (after !== null && !isBefore(order, after.value, after.tie, values[row]!, ties[row]!)) continue
    if (heap.length < limit) pushRow(heap, row, isRowBefore)
    else replaceRoot(heap, row, isRowBefore)
  }
  return heap.sort((a, b) => (isRowBefore(a, b) ? -1 : 1))
}

type IsBefore = (a: number, b: number) => boolean

/** Invariant: no row of the heap is after its parent, which is at half of its index. */
function pushRow(heap: number[], row: number, isRowBefore: IsBefore): void {
  let at = heap.push(row) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!isRowBefore(heap[parent]!, row)) break
    heap[at] = heap[parent]!
    at = parent
  }
  heap[at] = row
}

function replaceRoot(heap: number[], row: number, isRowBefore: IsBefore): void {
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isRowBefore(heap[child]!, heap[child + 1]!)) child++
    if (!isRowBefore(row, heap[child]!)) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = row
}
