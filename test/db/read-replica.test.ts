import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { openDatabase } from '../../db/client.ts'
import { readingLate } from '../../db/read-replica.ts'
import { until } from '../acceptance/support/service.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { findPostgres, startReplicatedPostgres } from '../support/replicated-postgres.ts'

const bin = await findPostgres()
if (!bin) {
  t.plan(0, 'there is no PostgreSQL server on this machine')
  process.exit(0)
}
const { primary, replica } = await startReplicatedPostgres(t, bin)
const config = testConfig({ DATABASE_URL: primary.url, DATABASE_READ_URL: replica.url, READ_MAX_LAG_MS: '1500' })
const database = await openDatabase(config)
const { db } = database
const watch = database.replica!
t.teardown(() => database.close())

/** Asks the replica itself, past the service. */
const onReplica = new pg.Pool({ connectionString: replica.url, max: 1, connectionTimeoutMillis: 2_000 })
onReplica.on('error', () => {})
t.teardown(() => onReplica.end())

const isReplica = async () =>
  (await sql<{ replica: boolean }>`select pg_is_in_recovery() as replica`.execute(db)).rows[0]?.replica
const becomes = (state: string) =>
  until(
    async () => watch.status(),
    (status) => status.state === state,
    `the replica is ${state}`,
  )
const countProfiles = async () =>
  Number((await sql<{ n: string }>`select count(*) as n from profiles`.execute(db)).rows[0]?.n)
let added = 0
const addProfile = () =>
  db
    .insertInto('profiles')
    .values({ wallet: `0x${(++added).toString(16).padStart(40, '0')}` })
    .execute()

t.test('only selects of work that may be late go to the replica', async (t) => {
  await becomes('ok')
  t.equal(await isReplica(), false)
  t.equal(await readingLate(isReplica), true)
  t.equal(
    await readingLate(() =>
      db
        .transaction()
        .execute(async (trx) => (await sql<{ r: boolean }>`select pg_is_in_recovery() as r`.execute(trx)).rows[0]?.r),
    ),
    false,
    'a transaction',
  )
  await readingLate(addProfile)
  await readingLate(() => sql`select pg_advisory_xact_lock(1)`.execute(db))
  await readingLate(() => db.selectFrom('profiles').selectAll().forUpdate().execute())
  t.equal(await countProfiles(), 1)
})

t.test('a replica that cannot answer a query leaves it to the primary', async (t) => {
  const writes = await readingLate(() => sql<{ n: number }>`select txid_current() > 0 as n`.execute(db))
  t.equal(writes.rows.length, 1, 'a select that turns out to write')
  t.equal(watch.status().state, 'ok', 'it is not to blame')
})

t.test('over HTTP, reads without a token go to the replica, and all else to the primary', async (t) => {
  const plugin = await createTestApp({
    config,
    services: { db, replica: watch },
    extend: (other) => {
      const where = async () => ({ replica: await isReplica() })
      other.get('/where', where)
      other.post('/where', where)
    },
  })
  t.teardown(() => plugin.app.close())
  const ask = async (method: 'GET' | 'POST', headers = {}) =>
    (await plugin.app.inject({ method, url: '/where', headers })).json().replica
  t.equal(await ask('GET'), true)
  t.equal(await ask('GET', { authorization: 'Bearer x' }), false, 'whoever signed in sees what they wrote')
  t.equal(await ask('POST'), false)
})

t.test('a replica that stops replaying falls behind, and is no longer read', async (t) => {
  await onReplica.query('select pg_wal_replay_pause()')
  await addProfile()
  t.equal(await readingLate(countProfiles), added - 1, 'it is late')
  const { lagSeconds } = await becomes('behind')
  t.ok(lagSeconds! > 1.4)
  t.equal(await readingLate(countProfiles), added, 'the primary is read')
  await onReplica.query('select pg_wal_replay_resume()')
  await becomes('ok')
  t.equal(await readingLate(isReplica), true)
})

t.test('a replica of a primary that stands still is not behind', async (t) => {
  const start = Date.now()
  await until(
    async () => watch.check(),
    () => Date.now() - start > 2_500,
    'time passes',
  )
  t.equal(watch.status().state, 'ok')
})

t.test('a replica that is gone costs no answer, and is taken up again when it is back', async (t) => {
  await replica.kill()
  for (let at = 0; at < 5; at++) t.equal(await readingLate(isReplica), false)
  t.match(watch.status(), { state: 'down', lagSeconds: null })
  await addProfile()
  t.equal(await readingLate(countProfiles), added)
  await replica.start()
  await becomes('ok')
  t.equal(await readingLate(isReplica), true)
  t.equal(await readingLate(countProfiles), added, 'with what it missed')
})

t.test('while the primary is gone, reads go on', async (t) => {
  await primary.kill()
  t.equal(await readingLate(isReplica), true)
  await t.rejects(addProfile())
  added--
  await primary.start()
  await until(
    () =>
      addProfile().then(
        () => true,
        () => {
          added--
          return false
        },
      ),
    Boolean,
    'the primary writes again',
  )
})

t.test('a primary is no replica', async (t) => {
  const wrong = await openDatabase({ ...config, databaseReadUrl: primary.url })
  t.teardown(() => wrong.close())
  await wrong.replica?.check()
  t.equal(wrong.replica?.status().state, 'down')
})
