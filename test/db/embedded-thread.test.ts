import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { sql, type Transaction } from 'kysely'
import t, { type Test } from 'tap'
import { appendRows } from '../../db/bulk.ts'
import { openDatabase } from '../../db/client.ts'
import { openEmbeddedThread } from '../../db/embedded/thread.ts'
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

t.test('the event loop keeps running while the embedded server runs a statement', async (t) => {
  const { db } = await open(t)
  let turns = 0
  const counting = setInterval(() => (turns += 1), 1)
  const { rows } = await sql<{ sum: string }>`select sum(n)::text from generate_series(1, 300000) n`.execute(db)
  clearInterval(counting)
  t.same(rows, [{ sum: '45000150000' }])
  t.ok(turns > 3, `${turns} turns of the event loop`)
})

t.test('errors of the embedded server have the codes of PostgreSQL', async (t) => {
  const { db } = await open(t)
  await t.rejects(sql`select 1 / 0`.execute(db), { code: '22012', message: 'division by zero' })
  await t.rejects(sql`copy blocks (number) from '/no/file'`.execute(db), { code: '58P01' })
})

const images = {
  table: 'failed_images',
  columns: ['id', 'decoders', 'reason'].map((name) => ({ name, type: 'text' as const, value: (id: string) => id })),
} as const

t.test('an error of a COPY rejects the next statement, or at the latest the commit', async (t) => {
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

t.test('opening a folder without a valid database is an error', async (t) => {
  const folder = join(t.testdir(), 'database')
  await copyPreparedPglite(folder)
  await rm(join(folder, 'global'), { recursive: true })
  await t.rejects(openEmbeddedThread(folder).opened, /Aborted/)
})

t.test('after a server was closed, every call rejects', async (t) => {
  const folder = join(t.testdir(), 'database')
  await copyPreparedPglite(folder)
  const server = openEmbeddedThread(folder)
  await server.close()
  await t.rejects(server.exchange(new Uint8Array([1])), { message: /The embedded database has ended/ })
})

/** What opens next, with its thread. */
async function watchThread<T>(open: () => Promise<T>): Promise<{ opened: T; thread: Worker }> {
  const started = once(process, 'worker')
  const opened = await open()
  return { opened, thread: ((await started) as [Worker])[0] }
}

t.test('a terminated thread rejects its calls, and the next connection reopens the database', async (t) => {
  const { opened, thread } = await watchThread(() => open(t))
  const { db } = opened
  const list = async () =>
    (await db.selectFrom('failed_images').select('id').orderBy('id').execute()).map(({ id }) => id)
  await db.transaction().execute((trx) => appendRows(trx, images, ['a']))
  const lost = { severity: 'FATAL', code: '57P02', message: /The embedded database has ended: its thread stopped/ }
  let waiting: Promise<string[]> | undefined
  const cutOff = db.transaction().execute(async (trx) => {
    await appendRows(trx, images, ['b'])
    await sql`select 1`.execute(trx)
    waiting = list()
    const reading = sql`select sum(n) from generate_series(1, 100000000) n`.execute(trx)
    await Promise.all([t.rejects(reading, lost), thread.terminate()])
    await sql`select 1`.execute(trx)
  })
  await t.rejects(cutOff, { message: /not queryable/ }, 'as on PostgreSQL, the transaction cannot go on')
  t.same(await waiting, ['a'], 'a query that waited for the connection runs on the next one')
  t.same(await list(), ['a'], 'what was committed is there, and nothing of the transaction')
  await db.transaction().execute((trx) => appendRows(trx, images, ['c']))
  t.same(await list(), ['a', 'c'])
})

t.test('a thread that is terminated while idle is replaced', async (t) => {
  const { opened, thread } = await watchThread(() => open(t))
  await sql`select 1`.execute(opened.db)
  await thread.terminate()
  t.match(await sql`select 2 as two`.execute(opened.db), { rows: [{ two: 2 }] })
})

t.test('a statement that aborts the server fails, and later statements succeed', async (t) => {
  const { db } = await open(t)
  await db.transaction().execute((trx) => appendRows(trx, images, ['a']))
  const deep = '['.repeat(50_000)
  const aborted = { code: '57P02', message: /has ended: Error: A statement made the embedded database abort/ }
  await t.rejects(sql`select ${deep}::jsonb`.execute(db), aborted)
  t.match(await db.selectFrom('failed_images').select('id').execute(), [{ id: 'a' }])
})
