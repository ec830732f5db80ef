import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/client.ts'

export type Parent = 'trades' | 'candles'
export type Value = string | number | boolean | null
export type ArchivedRow = Record<string, Value>

export interface ColumnType {
  name: string
  /** PostgreSQL's name of the type, without a precision. */
  type: string
  isRequired: boolean
}

interface ArchivedTable {
  /** The primary key, which orders the rows of an archive, with the types of its columns. */
  key: Readonly<Record<string, string>>
  /** Addresses in place of the numbers that only this database knows: beside the columns, for readers elsewhere. */
  addresses: Readonly<Record<string, RawBuilder<string>>>
}

const addressOf = sql<string>`(select address from token_ids where id = t.token_id)`
const contractOf = (column: string) =>
  sql<string>`(select '0x' || encode(address, 'hex') from contract_ids where id = ${sql.ref(`t.${column}`)})`

export const TABLES: Readonly<Record<Parent, ArchivedTable>> = {
  trades: {
    key: { token_id: 'integer', block_number: 'bigint', log_index: 'integer' },
    addresses: { token: addressOf, launchpad: contractOf('launchpad_id'), quote: contractOf('quote_id') },
  },
  candles: {
    key: { token_id: 'integer', resolution: 'integer', bucket: 'bigint' },
    addresses: { token: addressOf },
  },
}

/** The column that a table is partitioned by. */
export const PARTITIONED_BY: Readonly<Record<Parent, string>> = { trades: 'block_number', candles: 'bucket' }

/** The columns of the table in their order, followed by the addresses. */
export async function readColumns(db: Db, parent: Parent): Promise<ColumnType[]> {
  const { rows } = await sql<{ name: string; type: string; is_required: boolean }>`
    select attname as name, format_type(atttypid, null) as type, attnotnull as is_required from pg_attribute
    where attrelid = ${parent}::regclass and attnum > 0 and not attisdropped order by attnum`.execute(db)
  const own = rows.map(({ name, type, is_required }) => ({ name, type, isRequired: is_required }))
  return [...own, ...Object.keys(TABLES[parent].addresses).map((name) => ({ name, type: 'text', isRequired: false }))]
}

interface Page {
  /** A key; null: from the first row. */
  after: readonly number[] | null
  limit: number
  /** Without the addresses. */
  isBare?: boolean
}

/** Rows of a partition in the order of the key, after that of a row. */
export async function readPage(
  db: Db,
  { parent, name }: { parent: Parent; name: string },
  { after, limit, isBare = false }: Page,
): Promise<ArchivedRow[]> {
  const { key, addresses } = TABLES[parent]
  const columns = sql.join(Object.keys(key).map((column) => sql.ref(column)))
  const bound = after && sql.join(Object.values(key).map((type, at) => sql`${after[at]}::${sql.raw(type)}`))
  const extra = Object.entries(isBare ? {} : addresses).map(([column, value]) => sql`, ${value} as ${sql.ref(column)}`)
  const { rows } = await sql<ArchivedRow>`
    select t.* ${sql.join(extra, sql``)} from ${sql.table(name)} t
    ${bound ? sql`where (${columns}) > (${bound})` : sql``} order by ${columns} limit ${limit}`.execute(db)
  return rows
}

export const keyOf = (parent: Parent, row: ArchivedRow): number[] =>
  Object.keys(TABLES[parent].key).map((column) => Number(row[column]))
