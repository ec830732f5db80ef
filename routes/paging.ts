import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { AppError } from '../errors.ts'
import { paging } from '../schemas/common.ts'

/**
 * Encodes the keyset values of the last item with the name of the order, so a cursor is valid for one order only. base64url
 * of JSON, opaque to clients.
 */
export function encodeCursor(order: string, values: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([order, ...values])).toString('base64url')
}

/** Keyset values of a cursor. Throws INVALID_INPUT if it is not a cursor of this order. */
export function decodeCursor<T extends TSchema>(cursor: string, order: string, schema: T): Static<T> {
  try {
    const [name, ...values] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    if (name === order && Value.Check(schema, values)) return values
  } catch {
    // Not a cursor.
  }
  throw new AppError('INVALID_INPUT', { field: 'query.cursor', problem: 'is not a cursor of this list' })
}

export interface CursorRequest<Keyset> {
  limit: number
  after: Keyset | null
}

/**
 * Reads the query of a list with cursors only. Throws NO_PAGES for a later page: the first page would be returned again and
 * again.
 */
export function readCursor<T extends TSchema>(
  query: { limit?: number; cursor?: string },
  order: string,
  keyset: T,
): CursorRequest<Static<T>> {
  const { limit = paging.defaultLimit, cursor } = query
  if (cursor !== undefined) return { limit, after: decodeCursor(cursor, order, keyset) }
  // Not in the schema, so it is an unconverted string.
  const { page = '1' } = query as { page?: unknown }
  if (page !== '1') throw new AppError('NO_PAGES')
  return { limit, after: null }
}

export interface PageRequest<Keyset> extends CursorRequest<Keyset> {
  /** Rows to skip; 0 with a cursor. */
  offset: number
  /** Null with a cursor. */
  page: number | null
}

/** Reads the query of a list with pages. A cursor overrides the page. Throws PAGE_TOO_DEEP. */
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
 * Items and next cursor of a list. Query `limit + 1` rows: the extra row shows that more items follow, without a count.
 */
export function cutPage<Row>(rows: readonly Row[], limit: number, order: string, keysetOf: (row: Row) => unknown[]) {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(order, keysetOf(last)) : null }
}
