import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { type Db, openDatabase } from '../../db/client.ts'
import { openLiveBus } from '../../features/live/live-bus.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import { until } from '../acceptance/support/service.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { findPostgres, startReplicatedPostgres } from '../support/servers/replicated-postgres.ts'

const bin = await findPostgres()
if (!bin) {
  t.plan(0, 'there is no PostgreSQL server on this machine')
  process.exit(0)
}
const { primary, replica } = await startReplicatedPostgres(t, bin)
const config = testConfig({ DATABASE_URL: primary.url, DATABASE_READ_URL: replica.url, READ_MAX_LAG_MS: '3000' })
const database = await openDatabase(config)
const { db } = database
const watch = database.replica!
/** For reads that may be late. */
const late = watch.db
t.teardown(() => database.close())

/** Asks the replica itself, past the service. */
const onReplica = new pg.Pool({ connectionString: replica.url, max: 1, connectionTimeoutMillis: 2_000 })
onReplica.on('error', () => {})
t.teardown(() => onReplica.end())

const isReplica = async (from: Db) =>
  (await sql<{ replica: boolean }>`select pg_is_in_recovery() as replica`.execute(from)).rows[0]?.replica
const becomes = (state: string) =>
  until(
    async () => watch.status(),
    (status) => status.state === state,
    `the replica is ${state}`,
  )
const countProfiles = async (from: Db) =>
  Number((await sql<{ n: string }>`select count(*) as n from profiles`.execute(from)).rows[0]?.n)
let added = 0
const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const addProfile = (to: Db = db) =>
  to
    .insertInto('profiles')
    .values({ wallet: `0x${(++added).toString(16).padStart(40, '0')}` })
    .execute()

t.test('reads that may lag use the replica; transactions and writes use the primary', async (t) => {
  await becomes('ok')
  t.equal(await isReplica(db), false)
  t.equal(await isReplica(database.writes), false)
  t.equal(await isReplica(late), true)
  const inTransaction = await late.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(1)`.execute(trx)
    await sql`savepoint one`.execute(trx)
    await sql`rollback to one`.execute(trx)
    return isReplica(trx)
  })
  t.equal(inTransaction, false, 'a transaction')
  t.equal(await isReplica(late), true, 'after it, the replica is read again')
  await late.connection().execute(async (one) => {
    t.equal(await isReplica(one), true)
    await addProfile(one)
    t.equal(await isReplica(one), false, 'a connection that has written goes on at the primary')
  })
  await late.selectFrom('profiles').selectAll().forUpdate().execute()
  t.equal(await countProfiles(db), 1)
  t.equal(watch.status().state, 'ok')
})

t.test('a query that fails on the replica runs on the primary', async (t) => {
  const writes = await sql<{ n: number }>`select txid_current() > 0 as n`.execute(late)
  t.equal(writes.rows.length, 1, 'a select that turns out to write')
  t.equal(watch.status().state, 'ok', 'it is not to blame')
  await t.rejects(sql`select nothing`.execute(late), { code: '42703' }, 'an error of the query is that of the primary')
  t.equal(watch.status().state, 'ok')
})

t.test('a read whose replica crashes runs on the primary', async (t) => {
  const slow = sql<{
    replica: boolean
  }>`select pg_is_in_recovery() as replica, pg_sleep(case when pg_is_in_recovery() then 60 else 0 end)`.execute(late)
  await until(
    async () =>
      (
        await onReplica.query(
          `select 1 from pg_stat_activity where query like '%pg_sleep(case%' and pid <> pg_backend_pid()`,
        )
      ).rowCount,
    (reading) => reading === 1,
    'the replica reads',
  )
  await replica.kill()
  t.equal((await slow).rows[0]?.replica, false)
  t.match(watch.status(), { state: 'down', lagSeconds: null })
  await replica.start()
  await becomes('ok')
  t.equal(await isReplica(late), true)
})

t.test('over HTTP, only reads without a token use the replica', async (t) => {
  const plugin = await createTestApp({
    config,
    services: { db, writes: database.writes, replica: watch },
    extend: (other) => {
      const where = async ({ db }: FastifyRequest) => ({ replica: await isReplica(db) })
      other.get('/where', where)
      other.get('/probe', { config: { healthProbe: true } }, where)
      other.post('/where', where)
    },
  })
  t.teardown(() => plugin.app.close())
  const ask = async (method: 'GET' | 'POST', headers = {}, url = '/where') =>
    (await plugin.app.inject({ method, url, headers })).json().replica
  t.equal(await ask('GET'), true)
  t.equal(await ask('GET', { authorization: 'Bearer x' }), false, 'a signed-in client reads its own writes')
  t.equal(await ask('POST'), false)
  t.equal(await ask('GET', {}, '/probe'), false, 'a health probe is about the primary')
})

t.test('a revoked token is rejected at once, regardless of replica lag', async (t) => {
  const cache = createMemoryCache()
  const { app } = await createTestApp({ config, services: { db, writes: database.writes, replica: watch, cache } })
  const other = await createTestApp({ config, services: { db, writes: database.writes, replica: watch } })
  t.teardown(() => Promise.all([app.close(), other.app.close()]))
  const token = app.issueToken(`0x${'a1'.repeat(20)}`)
  const headers = { authorization: `Bearer ${token}` }
  t.equal((await other.app.inject({ url: '/auth/me', headers })).statusCode, 200)
  await other.services.cache.close()
  await onReplica.query('select pg_wal_replay_pause()')
  t.equal((await app.inject({ method: 'POST', url: '/auth/logout', headers })).statusCode, 200)
  t.equal(watch.status().state, 'ok', 'the replica is late, but not too late')
  t.equal((await other.app.inject({ url: '/auth/me', headers })).statusCode, 401)
  const refusal = await other.app.readToken(token).catch((error: unknown) => error)
  t.match(refusal, { reason: 'JWT_INVALID' }, 'a socket asks the same')
  await onReplica.query('select pg_wal_replay_resume()')
  await becomes('ok')
})

t.test('a response from a lagging replica is not cached as current', async (t) => {
  const live = await openLiveBus({ db, redis: null, log: quiet, pollMs: 3_600_000 })
  live.versions.confirm(Number.POSITIVE_INFINITY)
  const { app } = await createTestApp({
    config,
    services: { db, writes: database.writes, replica: watch, live },
    cacheResponses: true,
    extend: (other) => {
      other.get('/count', { config: { cache: ['social'] } }, async ({ db }) => ({
        profiles: await countProfiles(db),
        replica: await isReplica(db),
      }))
    },
  })
  t.teardown(() => app.close())
  const ask = async () => (await app.inject('/count')).json()
  await becomes('ok')
  const caughtUp = () =>
    until(
      async () => [await countProfiles(late), watch.status().state],
      ([count, state]) => count === added && state === 'ok',
      'the replica has replayed everything',
    )
  await caughtUp()
  t.same(await ask(), { profiles: added, replica: true })
  t.same(await ask(), { profiles: added, replica: true })
  await onReplica.query('select pg_wal_replay_pause()')
  await app.transactionWithEvents((trx) => addProfile(trx), ['social'])
  const soon = await ask()
  t.equal(soon.profiles, soon.replica ? added - 1 : added, 'the replica is late, or too late to be read')
  await onReplica.query('select pg_wal_replay_resume()')
  await caughtUp()
  t.same(await ask(), { profiles: added, replica: true }, 'the late answer is not served again')
  await addProfile()
  await caughtUp()
  t.same(await ask(), { profiles: added - 1, replica: true }, 'the one that contains the change is kept')
})

t.test('a replica that stops replaying is no longer read', async (t) => {
  await onReplica.query('select pg_wal_replay_pause()')
  await addProfile()
  t.equal(await countProfiles(late), added - 1, 'it is late')
  const { lagSeconds } = await becomes('behind')
  t.ok(lagSeconds! > 2.9)
  t.equal(await countProfiles(late), added, 'the primary is read')
  await onReplica.query('select pg_wal_replay_resume()')
  await becomes('ok')
  t.equal(await isReplica(late), true)
})

t.test('a replica of an idle primary does not lag', async (t) => {
  const start = Date.now()
  await until(
    async () => watch.check(),
    () => Date.now() - start > 4_000,
    'time passes',
  )
  t.equal(watch.status().state, 'ok')
})

t.test('a stopped replica causes no failures, and is used again after its restart', async (t) => {
  await replica.kill()
  for (let at = 0; at < 5; at++) t.equal(await isReplica(late), false)
  t.match(watch.status(), { state: 'down', lagSeconds: null })
  await addProfile()
  t.equal(await countProfiles(late), added)
  await replica.start()
  await becomes('ok')
  t.equal(await isReplica(late), true)
  t.equal(await countProfiles(late), added, 'with what it missed')
})

t.test('while the primary is down, reads continue and the process stays ready', async (t) => {
  const { app } = await createTestApp({ config, services: { db, writes: database.writes, replica: watch } })
  t.teardown(() => app.close())
  const untilStatus = (url: string, status: number) =>
    until(
      () => app.inject(url),
      ({ statusCode }) => statusCode === status,
      `${url} is ${status}`,
    )
  await becomes('ok')
  await primary.kill()
  t.equal(await isReplica(late), true)
  const unhealthy = await untilStatus('/health', 503)
  t.match(unhealthy.json().error, /database.*, indexer/, 'health names the primary')
  t.equal((await app.inject('/ready')).statusCode, 200, 'anonymous reads are served')
  t.equal((await app.inject('/tokens')).statusCode, 200)
  const headers = { authorization: `Bearer ${app.issueToken(`0x${'a1'.repeat(20)}`)}` }
  const written = await app.inject({ method: 'POST', url: '/auth/logout', headers })
  t.match(written, { statusCode: 503, headers: { 'x-error-reason': 'DATABASE_UNAVAILABLE' } }, 'a write says why')
  await replica.kill()
  t.same((await untilStatus('/ready', 503)).json().error, 'Failed checks: database')
  await replica.start()
  await untilStatus('/ready', 200)
  await becomes('ok')
  await t.rejects(addProfile(), { code: 'ECONNREFUSED' })
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

t.test('a primary is not accepted as a replica', async (t) => {
  const wrong = await openDatabase({ ...config, databaseReadUrl: primary.url })
  t.teardown(() => wrong.close())
  await wrong.replica?.check()
  t.equal(wrong.replica?.status().state, 'promoted', 'as after a failover, it is read through DATABASE_URL alone')
})
