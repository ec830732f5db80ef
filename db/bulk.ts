import { type RawBuilder, sql, type Transaction } from 'kysely'
import { BinaryWriter, type Value, type ValueType } from './postgres/binary-values.ts'
import { copyQuery } from './postgres/copy.ts'
import { pipelineStatements } from './postgres/pipeline.ts'
import type { Database } from './schema.ts'

export interface Column<Row> {
  name: string
  /** The column's type, which binary formats do not convert. */
  type: ValueType
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

/** SQL names of types that have another name here. */
const SQL_TYPES: Partial<Record<ValueType, string>> = { numeric8: 'numeric', hex: 'bytea', char: '"char"' }

/** Rows as a table expression for a statement, with the columns' names: an array for each column, of any number of rows. */
export const tableOf = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): RawBuilder<unknown> =>
  sql`unnest(${sql.join(columns.map((column) => sql`${toArray(column, rows)}::${sql.raw(SQL_TYPES[column.type] ?? column.type)}[]`))})
    as k (${sql.join(columns.map(({ name }) => sql.ref(name)))})`

/** Writes rows in one statement with an array for each column: one round trip and one plan for any number of rows. */
export async function writeRows<Row>(
  trx: Transaction<Database>,
  { table, columns, key, update }: BulkTarget<Row>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name).join(', ')
  const updated = update ?? columns.map(({ name }) => name).filter((name) => !key?.includes(name))
  const conflict = key
    ? ` on conflict (${key.join(', ')}) do ${
        updated.length > 0 ? `update set ${updated.map((name) => `${name} = excluded.${name}`).join(', ')}` : 'nothing'
      }`
    : ''
  await sql`insert into ${sql.table(table)} (${sql.raw(names)}) select * from ${tableOf(columns, rows)}${sql.raw(conflict)}`.execute(
    trx,
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
  const known = rows.filter((row) => !isNew(row))
  await pipelineStatements(trx, async (overlapping, statements) => {
    statements.start(appendRows(overlapping, target, added))
    statements.start(updateRows(overlapping, target, known))
  })
}

/** Overwrites existing rows, found by the target's key: all columns, in one statement. */
export async function updateRows<Row>(
  trx: Transaction<Database>,
  { table, columns, key }: BulkTarget<Row> & { key: readonly string[] },
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name)
  const set = names.filter((name) => !key.includes(name)).map((name) => `${name} = k.${name}`)
  const isSame = key.map((name) => `t.${name} = k.${name}`)
  await sql`update ${sql.table(table)} t set ${sql.raw(set.join(', '))} from ${tableOf(columns, rows)}
    where ${sql.raw(isSame.join(' and '))}`.execute(trx)
}

/** Appends new rows by COPY. A conflict is an error. */
export async function appendRows<Row>(
  trx: Transaction<Database>,
  { table, columns }: Pick<BulkTarget<Row>, 'table' | 'columns'>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name).join(', ')
  await trx.executeQuery(copyQuery(`copy ${table} (${names}) from stdin (format binary)`, writeTuples(columns, rows)))
}

/** Large enough to amortize the cost of a chunk, small enough that PostgreSQL starts at once. */
const CHUNK_BYTES = 65_536
/** Signature, flags and the length of an extension. */
const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const COPY_END = -1

function* writeTuples<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Generator<Buffer> {
  const writer = new BinaryWriter(CHUNK_BYTES * 2)
  writer.raw(COPY_HEADER)
  for (const row of rows) {
    writeTuple(writer, columns, row)
    if (writer.length >= CHUNK_BYTES) yield writer.take()
  }
  writer.int16(COPY_END)
  yield writer.take()
}

function writeTuple<Row>(writer: BinaryWriter, columns: readonly Column<Row>[], row: Row): void {
  writer.int16(columns.length)
  for (const { type, value } of columns) writer.value(type, value(row))
}

const ARRAY_HEAD_BYTES = 20
/** Enough for an address; longer values grow the buffer. */
const ELEMENT_BYTES = 48

/** One column's values as a parameter that is an array. Cast it to an array of the type. */
export function toArray<Row>({ type, value }: Pick<Column<Row>, 'type' | 'value'>, rows: readonly Row[]): Buffer {
  const writer = new BinaryWriter(ARRAY_HEAD_BYTES + rows.length * ELEMENT_BYTES)
  writer.array(type, rows, value)
  return writer.take()
}
