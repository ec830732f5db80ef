import { execFileSync } from 'node:child_process'
import { setImmediate } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import t from 'tap'
import { copyQuery } from '../../db/postgres/copy.ts'
import { pipelineStatements, Statements } from '../../db/postgres/pipeline.ts'
import type { Database } from '../../db/schema.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

const { db } = await createTestDatabase(t)
/** PGlite has one session, and no COPY on its connection. */
const skip = serverUrl === null && 'needs PostgreSQL'
await sql`create table written (number bigint primary key)`.execute(db)

type Trx = Transaction<Database>

const insert = (trx: Trx, number: number) => sql`insert into written values (${number})`.execute(trx)
const overlap = <T>(work: (trx: Trx, statements: Statements) => Promise<T>) =>
  db.transaction().execute((trx) => pipelineStatements(trx, work))
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

t.test('work that fails waits for its statements, and all of them are rolled back', async (t) => {
  const failing = overlap(async (trx, statements) => {
    for (const number of [1, 2, 3]) statements.start(insert(trx, number))
    throw new Error('No figure')
  })
  await t.rejects(failing, { message: 'No figure' })
  t.same(await read(), [])
})

t.test('the error of the first failed statement is thrown', async (t) => {
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

t.test('the first error is thrown, even if the work that failed was not started first', async (t) => {
  const failing = overlap(async (trx, statements) => {
    const started = Promise.withResolvers<void>()
    statements.start(started.promise.then(() => insert(trx, 2)))
    statements.start(insert(trx, 1))
    statements.start(insert(trx, 1))
    started.resolve()
  })
  await t.rejects(failing, { code: '23505' })
})

t.test('the original error is thrown, even if a later COPY fails because of it', async (t) => {
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
  const ofWork = overlap(async (_trx, statements) => {
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

/** The rows of `copy written (number) … (format binary)`, in several chunks. */
function* toChunks(numbers: readonly number[]): Generator<Buffer> {
  yield Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
  for (const number of numbers) {
    const row = Buffer.alloc(14)
    row.writeInt16BE(1)
    row.writeInt32BE(8, 2)
    row.writeBigInt64BE(BigInt(number), 6)
    yield row
  }
  yield Buffer.from('ffff', 'hex')
}

const copy = (trx: Trx, chunks: Iterable<Buffer>) =>
  trx.executeQuery(copyQuery('copy written (number) from stdin (format binary)', chunks))
const take = (trx: Trx, lock: number) => sql`select pg_advisory_xact_lock(${lock})`.execute(trx)

/** A process ends the session of the holder of lock 1, and prints "taken" once another session has lock 2. */
const RELEASE = `
  import pg from 'pg'
  const client = new pg.Client(process.argv[1])
  await client.connect()
  const holds = (lock) => "from pg_locks where locktype = 'advisory' and granted and objid = " + lock + " and database = "
    + "(select oid from pg_database where datname = '" + process.argv[2] + "')"
  await client.query('select pg_terminate_backend(pid) ' + holds(1))
  while ((await client.query('select ' + holds(2))).rowCount === 0);
  console.log('taken')
  process.exit()`

t.test('statements and rows are sent without waiting for earlier responses', { skip }, async (t) => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const held = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (trx) => {
    await take(trx, 1)
    held.resolve()
    await sql`select pg_sleep(60)`.execute(trx)
  })
  holding.catch(() => {})
  await held.promise
  await overlap(async (trx, statements) => {
    // The process may take long to start.
    statements.start(sql`set local lock_timeout = 0`.execute(trx))
    statements.start(take(trx, 1))
    statements.start(copy(trx, toChunks([1, 2, 3])))
    statements.start(insert(trx, 4))
    statements.start(take(trx, 2))
    // The rows are sent in the next turns.
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    // Blocks this thread, so it can neither read an answer nor send anything.
    const args = ['--input-type=module', '-e', RELEASE, serverUrl as string, rows[0]?.name as string]
    t.equal(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 }).trim(), 'taken')
  })
  await t.rejects(holding, /Connection terminated/)
  t.same(await read(), [1, 2, 3, 4])
})

t.test('statements started while the rows of a COPY are serialized run after them', async (t) => {
  const more = Promise.withResolvers<void>()
  const chunks = [...toChunks([1, 2])]
  async function* slow(): AsyncGenerator<Buffer> {
    yield* chunks.slice(0, 2)
    await more.promise
    yield* chunks.slice(2)
  }
  const counted = await overlap(async (trx, statements) => {
    const query = copyQuery('copy written (number) from stdin (format binary)', slow())
    statements.start(trx.executeQuery(query))
    statements.start(copy(trx, toChunks([3])))
    const count = statements.start(sql<{ count: number }>`select count(*) from written`.execute(trx))
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    more.resolve()
    return (await count).rows[0]?.count
  })
  t.equal(counted, 3)
  t.same(await read(), [1, 2, 3])
})

t.test('no statement overtakes an earlier one, whenever the rows of a COPY end', { skip }, async (t) => {
  const overtaken: number[] = []
  for (let moment = 0; moment < 150; moment++) {
    await overlap(async (trx, statements) => {
      const more = Promise.withResolvers<void>()
      async function* slow(): AsyncGenerator<Buffer> {
        const chunks = [...toChunks([1])]
        yield chunks[0]!
        await more.promise
        yield* chunks.slice(1)
      }
      statements.start(trx.executeQuery(copyQuery('copy written (number) from stdin (format binary)', slow())))
      const count = statements.start(sql<{ count: number }>`select count(*) from written`.execute(trx))
      await setImmediate()
      more.resolve()
      // The rows end some ticks later, and some promises after the last of them.
      for (let tick = 0; tick < moment / 15; tick++) await new Promise<void>((resolve) => process.nextTick(resolve))
      for (let promise = 0; promise < moment % 15; promise++) await null
      statements.start(insert(trx, 2))
      if ((await count).rows[0]?.count !== 1) overtaken.push(moment)
      await statements.start(sql`delete from written`.execute(trx))
    })
  }
  t.same(overtaken, [])
})

t.test('nested work starts its statements immediately', async (t) => {
  const counted = await overlap(async (trx, statements) => {
    statements.start(pipelineStatements(trx, async (inner) => insert(inner, 1)))
    const count = statements.start(sql<{ count: number }>`select count(*) from written`.execute(trx))
    return (await count).rows[0]?.count
  })
  t.equal(counted, 1)
})

t.test('a COPY that PostgreSQL rejects throws its error, however many rows are in flight', async (t) => {
  const many = Array.from({ length: 200_000 }, (_, number) => number)
  for (const [name, expected, statement] of [
    ['at once', { code: '42P01' }, 'copy missing (number) from stdin (format binary)'],
    ['at a row', { code: '23505' }, 'copy written (number) from stdin (format binary)'],
  ] as const) {
    const failing = overlap(async (trx, statements) => {
      statements.start(insert(trx, 7))
      statements.start(trx.executeQuery(copyQuery(statement, joined(many))))
      statements.start(insert(trx, -1))
    })
    await t.rejects(failing, expected, name)
    t.same(await read(), [])
    await overlap(async (trx) => copy(trx, toChunks([4])))
    t.same(await read(), [4], 'the connection stays usable')
    await sql`delete from written`.execute(db)
  }
})

/** The same rows in chunks of 64 KB. */
function* joined(numbers: readonly number[]): Generator<Buffer> {
  let parts: Buffer[] = []
  for (const chunk of toChunks(numbers)) {
    if (parts.push(chunk) < 4_700) continue
    yield Buffer.concat(parts)
    parts = []
  }
  yield Buffer.concat(parts)
}

t.test('a COPY whose rows fail halfway is rejected with their error, and stores none', async (t) => {
  function* chunks(): Generator<Buffer> {
    yield* [...toChunks([1, 2])].slice(0, 2)
    throw new RangeError('No such value')
  }
  const failing = overlap(async (trx, statements) => {
    statements.start(copy(trx, chunks()))
    statements.start(insert(trx, 3))
  })
  await t.rejects(failing, { message: 'No such value' })
  t.same(await read(), [])
  await overlap(async (trx) => copy(trx, toChunks([4])))
  t.same(await read(), [4], 'the connection stays usable')
})

t.test('a COPY on a lost connection is rejected', { skip }, async (t) => {
  const more = Promise.withResolvers<void>()
  async function* slow(): AsyncGenerator<Buffer> {
    yield* [...toChunks([1])].slice(0, 1)
    await more.promise
    yield* joined(Array.from({ length: 200_000 }, (_, number) => number))
  }
  const failing = overlap(async (trx, statements) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    const query = copyQuery('copy written (number) from stdin (format binary)', slow())
    const copied = statements.start(trx.executeQuery(query))
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db)
    await copied.catch(() => {})
    more.resolve()
    await copied
  })
  await t.rejects(failing, /connection error|connection terminated|ECONNRESET/i)
  t.same(await read(), [])
})
