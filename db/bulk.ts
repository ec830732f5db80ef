import { CompiledQuery, type Transaction } from 'kysely'
import { copyQuery } from './copy.ts'
import type { Database } from './schema.ts'

type Value = string | number | bigint | boolean | Buffer | null

export interface Column<Row> {
  name: string
  type: 'text' | 'numeric' | 'bigint' | 'integer' | 'float8' | 'boolean' | 'bytea' | 'jsonb'
  value: (row: Row) => Value
}

export interface BulkTarget<Row> {
  table: keyof Database
  columns: readonly Column<Row>[]
  /** Columns of a unique key: on a conflict the row is updated (see update). Without them a conflict is an error. */
  key?: readonly string[]
  /** The columns that a conflict overwrites; default: all but the key. */
  update?: readonly string[]
}

/**
 * Writes rows in one statement with an array for each column: one round trip and one plan for any number of rows. The
 * array literals are built here, because pg's own serializer visits every element several times.
 */
export async function writeRows<Row>(
  trx: Transaction<Database>,
  { table, columns, key, update }: BulkTarget<Row>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name).join(', ')
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
  const updated = update ?? columns.map(({ name }) => name).filter((name) => !key?.includes(name))
  const conflict = key
    ? ` on conflict (${key.join(', ')}) do ${
        updated.length > 0 ? `update set ${updated.map((name) => `${name} = excluded.${name}`).join(', ')}` : 'nothing'
      }`
    : ''
  await trx.executeQuery(
    CompiledQuery.raw(
      `insert into ${table} (${names}) select * from unnest(${arrays})${conflict}`,
      columns.map((column) => arrayLiteral(column, rows)),
    ),
  )
}

/** Below this number of new rows, a COPY and an update cost more than one upsert. */
const MANY_ROWS = 100

/** Writes rows that the caller has looked up: the new ones by COPY if they are many, and the others as updates. */
export async function saveRows<Row>(
  trx: Transaction<Database>,
  target: BulkTarget<Row> & { key: readonly string[] },
  rows: readonly Row[],
  isNew: (row: Row) => boolean,
): Promise<void> {
  const added = rows.filter(isNew)
  if (added.length < MANY_ROWS) return writeRows(trx, target, rows)
  await appendRows(trx, target, added)
  await updateRows(
    trx,
    target,
    rows.filter((row) => !isNew(row)),
  )
}

/** Overwrites existing rows, found by the target's key: all columns, in one statement. */
async function updateRows<Row>(
  trx: Transaction<Database>,
  { table, columns, key }: BulkTarget<Row> & { key: readonly string[] },
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name)
  const set = names.filter((name) => !key.includes(name)).map((name) => `${name} = k.${name}`)
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`)
  await trx.executeQuery(
    CompiledQuery.raw(
      `update ${table} t set ${set.join(', ')} from unnest(${arrays.join(', ')}) as k (${names.join(', ')})
        where ${key.map((name) => `t.${name} = k.${name}`).join(' and ')}`,
      columns.map((column) => arrayLiteral(column, rows)),
    ),
  )
}

/** Appends new rows by COPY. A conflict is an error. */
export async function appendRows<Row>(
  trx: Transaction<Database>,
  { table, columns }: Pick<BulkTarget<Row>, 'table' | 'columns'>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name).join(', ')
  await trx.executeQuery(copyQuery(`copy ${table} (${names}) from stdin`, writeLines(columns, rows)))
}

/** Large enough to amortize the cost of a chunk, small enough that PostgreSQL starts at once. */
const CHUNK_CHARACTERS = 65_536

function* writeLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Generator<string> {
  let chunk = ''
  for (const row of rows) {
    let separator = ''
    for (const { type, value } of columns) {
      const item = value(row)
      chunk += separator
      if (item === null) chunk += '\\N'
      else if (Buffer.isBuffer(item)) chunk += `\\\\x${item.toString('hex')}`
      else chunk += type === 'text' || type === 'jsonb' ? escapeText(String(item)) : String(item)
      separator = '\t'
    }
    chunk += '\n'
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function escapeText(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character) : text
}

/** A PostgreSQL array literal of one column's values. */
export function arrayLiteral<Row>({ type, value }: Pick<Column<Row>, 'type' | 'value'>, rows: readonly Row[]): string {
  const quoted = type === 'text' || type === 'jsonb'
  let literal = '{'
  for (let index = 0; index < rows.length; index++) {
    if (index > 0) literal += ','
    const item = value(rows[index] as Row)
    if (item === null) literal += 'NULL'
    else if (Buffer.isBuffer(item)) literal += `"\\\\x${item.toString('hex')}"`
    else literal += quoted ? quoteItem(String(item)) : String(item)
  }
  return `${literal}}`
}

const PLAIN = /^0x[0-9a-f]+$/

function quoteItem(text: string): string {
  return PLAIN.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`
}
