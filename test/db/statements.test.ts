import { sql, type Transaction } from 'kysely'
import t from 'tap'
import { copyQuery } from '../../db/copy.ts'
import type { Database } from '../../db/schema.ts'
import { overlapStatements, Statements } from '../../db/statements.ts'
import { waitUntil } from '../indexer/fixtures/indexing.ts'
import { createTestDatabase } from '../support/database.ts'

const { db } = await createTestDatabase(t)
await sql`create table written (number bigint primary key)`.execute(db)

type Trx = Transaction<Database>

const insert = (trx: Trx, number: number) => sql`insert into written values (${number})`.execute(trx)
const overlap = <T>(work: (trx: Trx, statements: Statements) => Promise<T>) =>
  db.transaction().execute((trx) => overlapStatements((statements) => work(trx, statements)))
const read = async () => {
  const { rows } = await sql<{ number: number }>`select number from written order by number`.execute(db)
  return rows.map(({ number }) => number)
}

t.afterEach(async () => {
  await sql`delete from written`.execute(db)
})

t.test('statements run in the order in which they are started, and the transaction contains all of them', async (t) => {
  const seen = await overlap(async (trx, statements) => {
    statements.start(insert(trx, 1))
    statements.start(insert(trx, 2))
    const counted = statements.start(sql<{ count: number }>`select count(*) from written`.execute(trx))
    statements.start(insert(trx, 3))
    return (await counted).rows[0]?.count
  })
  t.equal(seen, 2)
  t.same(await read(), [1, 2, 3])
})

t.test('work that fails waits for its statements, of which none is stored', async (t) => {
  const failing = overlap(async (trx, statements) => {
    for (const number of [1, 2, 3]) statements.start(insert(trx, number))
    throw new Error('No figure')
  })
  await t.rejects(failing, { message: 'No figure' })
  t.same(await read(), [])
})

t.test('the error is that of the first statement that failed', async (t) => {
  const failing = overlap(async (trx, statements) => {
    statements.start(insert(trx, 1))
    statements.start(insert(trx, 1))
    statements.start(insert(trx, 2))
    await statements.start(insert(trx, 3))
  })
  await t.rejects(failing, { code: '23505' })
  t.same(await read(), [])
  await overlap((trx) => insert(trx, 4))
  t.same(await read(), [4], 'the connection stays usable')
})

t.test('the error is the first one, also if it is not that of the work that was started first', async (t) => {
  const failing = overlap(async (trx, statements) => {
    const started = Promise.withResolvers<void>()
    statements.start(started.promise.then(() => insert(trx, 2)))
    statements.start(insert(trx, 1))
    statements.start(insert(trx, 1))
    started.resolve()
  })
  await t.rejects(failing, { code: '23505' })
})

t.test('the error is that of the cause, also if a COPY that follows fails because of it', async (t) => {
  const failing = overlap(async (trx, statements) => {
    statements.start(insert(trx, 1))
    statements.start(insert(trx, 1))
    statements.start(trx.executeQuery(copyQuery('copy written (number) from stdin (format binary)', [])))
  })
  await t.rejects(failing, { code: '23505' })
})

t.test('the cause of an aborted transaction is reported, whichever error arrives first', async (t) => {
  const [aborted, cause] = ['25P02', '23505'].map((code) => Object.assign(new Error(code), { code }))
  for (const errors of [
    [aborted, cause],
    [cause, aborted],
    [aborted, cause, aborted],
  ]) {
    const statements = new Statements()
    for (const error of errors) statements.start(Promise.reject(error))
    await t.rejects(statements.finish(), cause!)
  }
  const ofWork = overlapStatements(async (statements) => {
    await statements.start(Promise.reject(aborted)).catch(() => {})
    throw cause
  })
  await t.rejects(ofWork, cause!, 'the error of the work itself')
})

t.test('the rows of a COPY are serialized before the connection is free', async () => {
  let serialized = 0
  function* chunks(): Generator<Buffer> {
    for (; serialized < 40; serialized++) yield Buffer.alloc(10)
  }
  copyQuery('copy written (number) from stdin (format binary)', chunks())
  await waitUntil('all are serialized', async () => serialized === 40)
})

t.test('a COPY whose rows failed before it ran is rejected with their error', async (t) => {
  // biome-ignore lint/correctness/useYield: it fails at once
  function* chunks(): Generator<Buffer> {
    throw new RangeError('No such value')
  }
  const query = copyQuery('copy written (number) from stdin (format binary)', chunks())
  await waitUntil('it has failed', async () => query.chunks.destroyed)
  await t.rejects(
    db.transaction().execute((trx) => trx.executeQuery(query)),
    { message: 'No such value' },
  )
  t.same(await read(), [])
})
