import { sql } from 'kysely'
import t from 'tap'
import { appendRows, type BulkTarget, saveRows, writeRows } from '../../db/bulk.ts'
import { toBytes } from '../../db/hex.ts'
import type { Database } from '../../db/schema.ts'
import { createTestDatabase } from '../support/database.ts'

/* Rows come back as they were written: by COPY, whose input PGlite reads from a device of its own. */
const { db } = await createTestDatabase(t)
await sql`create table written (number bigint primary key, hash text not null, parent_hash text, id bytea, letter "char",
  quote_usd numeric(38,8), logs bytea)`.execute(db)

interface Row {
  number: number
  hash: string
  parent: string | null
  logs: Buffer | null
}
interface ReadRow extends Row {
  id: string
  letter: string | null
}

const idOf = ({ number }: Pick<Row, 'number'>) => `0x${number.toString(16).padStart(64, '0')}`

const target: BulkTarget<Row> = {
  table: 'written' as keyof Database,
  columns: [
    { name: 'number', type: 'bigint', value: (row) => row.number },
    { name: 'hash', type: 'text', value: (row) => row.hash },
    { name: 'parent_hash', type: 'text', value: (row) => row.parent },
    { name: 'id', type: 'hex', value: (row) => idOf(row) },
    { name: 'letter', type: 'char', value: (row) => (row.parent === null ? null : 'b') },
    { name: 'quote_usd', type: 'numeric', value: () => '0.00000001' },
    { name: 'logs', type: 'bytea', value: (row) => row.logs },
  ],
}

const TEXTS = [
  '',
  '\\N',
  '\\.',
  'a\tb\nc\rd',
  '\\x00',
  '"quoted", {braced}',
  'NULL',
  'ünï 雪 🚀',
  `\\${'\\'.repeat(9)}t`,
]
const rows: Row[] = TEXTS.map((hash, index) => ({
  number: index,
  hash,
  parent: index % 2 === 0 ? null : hash,
  logs: index % 3 === 0 ? null : Buffer.from([0, 9, 10, 13, 92, 255]),
}))

const write = (what: readonly Row[]) => db.transaction().execute((trx) => appendRows(trx, target, what))
const read = async (): Promise<ReadRow[]> => {
  const { rows } = await sql<Omit<ReadRow, 'logs'> & { logs: string | null }>`
    select number, hash, parent_hash as parent, id, letter, logs from written order by number`.execute(db)
  return rows.map(({ logs, ...row }) => ({ ...row, logs: logs === null ? null : toBytes(logs) }))
}
/** What is read once these rows are written. */
const stored = (rows: readonly Row[]): ReadRow[] =>
  rows.map((row) => ({ ...row, id: idOf(row), letter: row.parent === null ? null : 'b' }))

t.afterEach(async () => {
  await sql`delete from written`.execute(db)
})

t.test('appended rows are read back unchanged', async (t) => {
  await write(rows)
  t.strictSame(await read(), stored(rows))
})

t.test('many chunks of rows arrive complete and in order', async (t) => {
  const many = Array.from({ length: 20_000 }, (_, number) => ({ number, hash: `${number}`, parent: null, logs: null }))
  await write(many)
  t.strictSame(await read(), stored(many))
})

t.test('a duplicate row is a constraint violation, and the connection stays usable', async (t) => {
  await write(rows)
  await t.rejects(write(rows.slice(3)), { code: '23505' })
  t.strictSame(await read(), stored(rows))
})

t.test('a row that cannot be serialized is an error, and nothing is stored', async (t) => {
  const broken: BulkTarget<Row> = {
    ...target,
    columns: target.columns.map((column) => ({
      ...column,
      value: (row) => {
        if (row.number === 5) throw new RangeError('No such value')
        return column.value(row)
      },
    })),
  }
  await t.rejects(
    db.transaction().execute((trx) => appendRows(trx, broken, rows)),
    { message: 'No such value' },
  )
  t.same(await read(), [])
})

t.test('a conflict overwrites the columns that are not the key', async (t) => {
  await write(rows)
  const changed = rows.map((row) => ({ ...row, hash: `${row.hash}\t!` }))
  await db.transaction().execute((trx) => writeRows(trx, { ...target, key: ['number'] }, changed))
  t.strictSame(await read(), stored(changed))
})

for (const count of [3, 300]) {
  t.test(`saving rows adds ${count} new ones and overwrites the others`, async (t) => {
    await write(rows)
    const changed = rows.map((row) => (row.number < 6 ? { ...row, hash: `${row.hash}\t!`, parent: null } : row))
    const added = Array.from({ length: count }, (_, at) => ({ ...rows[at % 6]!, number: 100 + at }))
    const saved = [...added, ...changed.slice(0, 6)]
    const save = (isNew: (row: Row) => boolean) =>
      db.transaction().execute((trx) => saveRows(trx, { ...target, key: ['number'] }, saved, isNew))
    await save(({ number }) => number >= 100)
    t.strictSame(await read(), stored([...changed, ...added]))
    await save(() => false)
    t.strictSame(await read(), stored([...changed, ...added]), 'and all of them again')
  })
}
