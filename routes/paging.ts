import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { AppError } from '../errors.ts'
import { paging } from '../schemas/common.ts'

/**
 * A cursor is the sort key of the last item answered (its keyset values), with the name of the order that it belongs
 * to, so that a cursor of one order is refused by another. Opaque to clients: base64url of JSON.
 */
export function encodeCursor(order: string, values: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([order, ...values])).toString('base64url')
}

/** The keyset values of a cursor; 400 that names the cursor if it is not one of this order. */
export function decodeCursor<T extends TSchema>(cursor: string, order: string, schema: T): Static<T> {
  try {
    const [name, ...values] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    if (name === order && Value.Check(schema, values)) return values
  } catch {
    // Not JSON, or JSON that is no list: no cursor of ours.
  }
  throw new AppError('INVALID_INPUT', { field: 'query.cursor', problem: 'is not a cursor of this list' })
}

export interface CursorRequest<Keyset> {
  limit: number
  after: Keyset | null
}

/**
 * Reads the query of a list without pages. Whoever asks it for a later page is told so: to be given the first one again
 * would look like a list without an end.
 */
export function readCursor<T extends TSchema>(
  query: { limit?: number; cursor?: string },
  order: string,
  keyset: T,
): CursorRequest<Static<T>> {
  const { limit = paging.defaultLimit, cursor } = query
  if (cursor !== undefined) return { limit, after: decodeCursor(cursor, order, keyset) }
  // No field of the schema, so it comes as the text that it was sent as.
  const { page = '1' } = query as { page?: unknown }
  if (page !== '1') throw new AppError('NO_PAGES')
  return { limit, after: null }
}

export interface PageRequest<Keyset> extends CursorRequest<Keyset> {
  /** Rows to skip; 0 when going on from a keyset. */
  offset: number
  /** Null when a cursor was given. */
  page: number | null
}

/** Reads the query of a list with pages: where it starts, and how much of it is wanted. A cursor wins over a page. */
export function readPaging<T extends TSchema>(
  query: { page?: number; limit?: number; cursor?: string },
  order: string,
  keyset: T,
): PageRequest<Static<T>> {
  const { page = 1, limit = paging.defaultLimit, cursor } = query
  if (cursor !== undefined) return { limit, offset: 0, page: null, after: decodeCursor(cursor, order, keyset) }
  if (page * limit > paging.maxDepth) throw new AppError('PAGE_TOO_DEEP', { maximum: paging.maxDepth })
  return { limit, offset: (page - 1) * limit, page, after: null }
}

/**
 * The items of a list and the cursor to what follows. Ask the query for one row more than `limit`: that there is one is
 * how the end is known without counting.
 */
export function cutPage<Row>(rows: readonly Row[], limit: number, order: string, keysetOf: (row: Row) => unknown[]) {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(order, keysetOf(last)) : null }
}
