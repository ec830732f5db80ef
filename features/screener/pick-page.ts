import type { TokenOrdering } from '../../schemas/screener.ts'
import type { TokenColumns } from './token-columns.ts'

/** The place of a token in an order: its key, the larger first, and what orders equal keys. */
export interface Place {
  key: number
  tie: number
}

/** Columns of an order. Larger keys come first, and of equal keys the larger or the smaller tie. */
export interface Order {
  values: Float64Array | Int32Array
  /** -1: the key of a token is its value with the other sign. */
  sign: 1 | -1
  ties: Int32Array
  largerTieFirst: boolean
}

export function orderOf({ floats, integers }: TokenColumns, { sort, direction }: TokenOrdering): Order {
  const sign = direction === 'desc' ? 1 : -1
  const byId = (values: Order['values']): Order => ({ values, sign, ties: integers.id, largerTieFirst: false })
  const byPosition = (values: Order['values'], ties: Int32Array): Order => {
    return { values, sign, ties, largerTieFirst: direction === 'desc' }
  }
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
      return byPosition(floats.createdBlock, integers.createdLog)
    case 'graduated':
      return byPosition(floats.graduatedBlock, integers.graduatedLog)
    case 'liquidity':
      return byId(floats.liquidity)
    case 'trades':
      return byId(integers.tradesH24)
    case 'holders':
      return byId(integers.holders)
    case 'change':
      return byId(floats.changeH24)
  }
}

/** An unknown value, NaN, comes last. */
function keyOf({ values, sign }: Order, row: number): number {
  const value = values[row]!
  return Number.isNaN(value) ? Number.NEGATIVE_INFINITY : sign * value
}

export const placeOf = (order: Order, row: number): Place => ({ key: keyOf(order, row), tie: order.ties[row]! })

function isBefore(order: Order, key: number, tie: number, otherKey: number, otherTie: number): boolean {
  if (key !== otherKey) return key > otherKey
  return order.largerTieFirst ? tie > otherTie : tie < otherTie
}

/** Whether a place is before another one. */
export const isPlaceBefore = (order: Order, a: Place, b: Place): boolean => isBefore(order, a.key, a.tie, b.key, b.tie)

/** Rows that are visited one after another, for the processor's cache. */
const BLOCK = 256
/** The golden ratio: multiples of it are spread evenly. */
const SPREAD = 0.618_033_988_749_895

export interface Paging {
  /** Rows to skip. */
  offset: number
  limit: number
  /** Only rows after this place. */
  after: Place | null
}

/**
 * A page of the first `count` of these rows in an order. Keeps the best rows so far in a heap with the last of them at its root.
 * Blocks are visited in a mixed order: rows are nearly in the order of their launches, and if each were better than all before it,
 * each would enter the heap. So nearly every row is compared with the root alone.
 */
export function pickPage(order: Order, rows: Int32Array, count: number, { offset, limit, after }: Paging): number[] {
  const { ties } = order
  const size = offset + limit
  const heap: number[] = []
  const isRowBefore = (a: number, b: number) => isBefore(order, keyOf(order, a), ties[a]!, keyOf(order, b), ties[b]!)
  let [rootKey, rootTie] = [Number.NEGATIVE_INFINITY, 0]
  const blocks = Math.ceil(count / BLOCK)
  const step = findStep(blocks)
  for (let turn = 0, block = 0; turn < blocks; turn++, block = (block + step) % blocks) {
    const end = Math.min(count, (block + 1) * BLOCK)
    for (let at = block * BLOCK; at < end; at++) {
      const row = rows[at]!
      const key = keyOf(order, row)
      if (key < rootKey) continue
      const tie = ties[row]!
      if (heap.length === size && !isBefore(order, key, tie, rootKey, rootTie)) continue
      if (after !== null && !isBefore(order, after.key, after.tie, key, tie)) continue
      if (heap.length < size) pushRow(heap, row, isRowBefore)
      else replaceRoot(heap, row, isRowBefore)
      if (heap.length < size) continue
      const root = heap[0]!
      rootKey = keyOf(order, root)
      rootTie = ties[root]!
    }
  }
  // The page is the end of the heap's rows, so the root is its last row.
  const page: number[] = []
  for (let left = heap.length - offset; left > 0; left--) page.push(takeRoot(heap, isRowBefore))
  return page.reverse()
}

/** A step that visits every block once: it has no divisor in common with their number. */
function findStep(blocks: number): number {
  let step = Math.max(1, Math.round(blocks * SPREAD))
  while (haveCommonDivisor(step, blocks)) step++
  return step
}

function haveCommonDivisor(a: number, b: number): boolean {
  while (b !== 0) [a, b] = [b, a % b]
  return a !== 1
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

function takeRoot(heap: number[], isRowBefore: IsBefore): number {
  const root = heap[0]!
  const last = heap.pop()!
  if (heap.length > 0) replaceRoot(heap, last, isRowBefore)
  return root
}
