import { type RawBuilder, sql } from 'kysely'

/*
 * Addresses and hashes are bytea in the largest tables, and 0x text everywhere else. Every bytea is read as 0x text (see
 * types in pools.ts), so that a row needs no conversion; these functions are the way in, and that inside of a statement.
 */

/** PostgreSQL's text format of a bytea, `\x…`, as 0x text. */
export const parseBytea = (text: string): string => `0x${text.slice(2)}`

/** The bytes of 0x text, as a value of a bytea column. */
export const toBytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex')

/** A bytea parameter. */
export const bytes = (hex: string): RawBuilder<Buffer> => sql<Buffer>`${toBytes(hex)}::bytea`

/** A text column with 0x text, as bytea: to compare it with a bytea column. */
export const columnToBytes = (column: string): RawBuilder<Buffer> =>
  sql<Buffer>`decode(substr(${sql.ref(column)}, 3), 'hex')`

/** A bytea column as 0x text: to compare it with a text column, or to unite both. */
export const columnToHex = (column: string): RawBuilder<string> =>
  sql<string>`'0x' || encode(${sql.ref(column)}, 'hex')`
