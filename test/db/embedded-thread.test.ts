import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql, type Transaction } from 'kysely'
import t, { type Test } from 'tap'
import { appendRows } from '../../db/bulk.ts'
import { openDatabase } from '../../db/client.ts'
import { openEmbeddedThread } from '../../db/embedded-thread.ts'
import type { Database } from '../../db/schema.ts'
import { copyPreparedPglite } from '../support/prepared-database.ts'

/** A database in a folder, which runs in a thread. */
async function open(t: Test) {
  const dataDir = t.testdir()
  await copyPreparedPglite(join(dataDir, 'database'))
  const database = await openDatabase({ databaseUrl: null, dataDir })
  t.teardown(() => database.close())
  return database
}

t.test('this thread goes on while the server runs a statement', async (t) => {
  const { db } = await open(t)
  let turns = 0
  const counting = setInterval(() => (turns += 1), 1)
  const { rows } = await sql<{ sum: string }>`select sum(n)::text from generate_series(1, 300000) n`.execute(db)
  clearInterval(counting)
  t.same(rows, [{ sum: '45000150000' }])
  t.ok(turns > 3, `${turns} turns of the event loop`)
})

t.test('errors of the server have the code of PostgreSQL', async (t) => {
  const { db } = await open(t)
  await t.rejects(sql`select 1 / 0`.execute(db), { code: '22012', message: 'division by zero' })
  await t.rejects(sql`copy blocks (number) from '/no/file'`.execute(db), { code: '58P01' })
})

const images = {
  table: 'failed_images',
  columns: ['id', 'decoders', 'reason'].map((name) => ({ name, type: 'text' as const, value: (id: string) => id })),
} as const

t.test('an error of a COPY rejects the transaction, at the latest its commit', async (t) => {
  const { db } = await open(t)
  const list = async () =>
    (await db.selectFrom('failed_images').select('id').orderBy('id').execute()).map(({ id }) => id)
  const append = (ids: string[], then: (trx: Transaction<Database>) => Promise<unknown> = async () => {}) =>
    db.transaction().execute(async (trx) => {
      await appendRows(trx, images, ids)
      await then(trx)
    })
  await append(['a', 'b'], (trx) => appendRows(trx, images, ['c']))
  t.same(await list(), ['a', 'b', 'c'])
  const duplicate = { code: '23505', message: /duplicate key/ }
  await t.rejects(append(['d', 'd']), duplicate)
  await t.rejects(
    append(['d', 'a'], (trx) => appendRows(trx, images, ['e'])),
    duplicate,
  )
  let isReached = false
  const reach = async (trx: Transaction<Database>) => {
    await sql`select 1`.execute(trx)
    isReached = true
  }
  await t.rejects(append(['a'], reach), duplicate)
  t.notOk(isReached, 'the next statement rejects')
  t.same(await list(), ['a', 'b', 'c'], 'nothing of them is stored')
})

t.test('a folder that holds no valid database is an error', async (t) => {
  const folder = join(t.testdir(), 'database')
  await copyPreparedPglite(folder)
  await rm(join(folder, 'global'), { recursive: true })
  await t.rejects(openEmbeddedThread(folder))
})

t.test('after the thread has ended, every call says what to do', async (t) => {
  const folder = join(t.testdir(), 'database')
  await copyPreparedPglite(folder)
  const server = await openEmbeddedThread(folder)
  await server.close()
  await t.rejects(server.exchange(new Uint8Array([1])), { message: /has ended .* Start the service again/ })
})
