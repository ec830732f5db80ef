import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { loadConfig } from '../../config/config.ts'
import { openDatabase } from '../../db/client.ts'
import { prepared } from '../../db/postgres/prepared.ts'
import { createLogger } from '../../lib/telemetry/create-logger.ts'
import { checkDatabase } from '../../preflight/check-database.ts'
import { describe } from '../../preflight/finding.ts'
import { openServices } from '../../services.ts'
import { createDatabasePlace, serverUrl } from '../support/database.ts'
import { runOn } from '../support/prepared-database.ts'
import { startPgBouncer } from '../support/servers/pgbouncer.ts'
import { createRecoveringPostgres } from '../support/servers/recovering-postgres.ts'
import { findPostgres } from '../support/servers/replicated-postgres.ts'

const skip = serverUrl === null && 'TEST_DATABASE_URL is not set'
/** Longer than a refusal may take; the lock of Kysely waits for an hour. */
const SECONDS = 10

const configure = (env: Record<string, string>) => loadConfig({ NODE_ENV: 'test', ROLE: 'all', ...env })

/** What preflight and the start say about a database. */
async function judge(env: Record<string, string>) {
  const config = configure(env)
  const findings = await checkDatabase(config)
  const problems = findings.filter(({ level }) => level !== 'ok').map(describe)
  const lines: string[] = []
  const start = await openDatabase(config, undefined, (line) => lines.push(line)).then(
    (opened) => opened.close().then(() => 'started'),
    (error: unknown) => String(error),
  )
  return { problems, start, lines, ok: findings.filter(({ level }) => level === 'ok').map(describe) }
}

/** A database without a schema, and the URL of a role that has no rights but to connect. */
async function createEmpty(t: Test, { owner = false } = {}) {
  const name = `slipway_test_${process.pid}_${randomBytes(6).toString('hex')}`
  await runOn(serverUrl as string, `create role ${name} login`)
  await runOn(serverUrl as string, `create database ${name}${owner ? ` owner ${name}` : ''}`)
  t.teardown(async () => {
    await runOn(serverUrl as string, `drop database ${name} with (force)`)
    await runOn(serverUrl as string, `drop role ${name}`)
  })
  const admin = new URL(serverUrl as string)
  admin.pathname = `/${name}`
  const url = new URL(admin)
  url.username = name
  return { name, url: url.href, admin: admin.href }
}

t.test('a database of another owner fails preflight and the start with the same message', { skip }, async (t) => {
  const { name, url, admin } = await createEmpty(t)
  const extension = `may not create the extension pg_trgm: it has no CREATE right on the database ${name}. Run as the owner of the database: grant create on database ${name} to ${name}; or as a superuser, in the database ${name}: create extension pg_trgm.`
  const tables = `the role ${name} may not create tables in the schema public. Run as the owner: grant create on schema public to ${name}.`
  await runOn(admin, `revoke create on schema public from public`)
  const { problems, start } = await judge({ DATABASE_URL: url })
  t.match(problems, [`FAIL  DATABASE_URL: the role ${name} ${extension}`, `FAIL  DATABASE_URL: ${tables}`])
  t.match(start, `SetupError: DATABASE_URL: the role ${name} ${extension}`)
  await runOn(admin, `grant create on schema public to ${name}`)
  await runOn(admin, 'create extension pg_trgm')
  t.match(await judge({ DATABASE_URL: url }), { problems: [], start: 'started' })
})

t.test('tables of another owner, a newer schema and another chain are reported', { skip }, async (t) => {
  const { name, url } = await createEmpty(t, { owner: true })
  t.match(await judge({ DATABASE_URL: url }), { problems: [], start: 'started' })
  await runOn(url, `insert into kysely_migration values ('9999-later', '2026')`)
  const newer = await judge({ DATABASE_URL: url })
  t.match(newer.problems, [
    /^WARN {2}DATABASE_URL: the schema \(9999-later\) is newer than this version\. Use this version only/,
  ])
  t.equal(newer.start, 'started', 'as after a rollback by one version')
  t.match(newer.lines, [/^The schema of the database \(9999-later\) is newer than this version; it is used as it is$/])
  await runOn(url, `delete from kysely_migration where name = '9999-later'`)
  await runOn(
    url,
    `insert into chain_state (chain_id, genesis_hash, wrapped_native, contracts, checkpoint_number, checkpoint_time, clock_time,
      head_number, head_time, finalized_number) values (1, '0x12', '0x34', '{}', 0, 0, 0, 0, 0, 0)`,
  )
  t.match((await judge({ DATABASE_URL: url })).problems, [
    /^FAIL {2}DATABASE_URL: the database holds chain 1 with genesis 0x12, not chain 31337\. Name another database/,
  ])
  const other = await createEmpty(t)
  const foreign = new URL(url)
  foreign.username = other.name
  const { problems, start } = await judge({ DATABASE_URL: foreign.href })
  const owned = `the tables belong to the role ${name}, whose rights ${other.name} has not. Connect as ${name}, or run: grant ${name} to ${other.name}.`
  t.match(problems, [`FAIL  DATABASE_URL: ${owned}`])
  t.match(start, `SetupError: DATABASE_URL: ${owned}`)
})

t.test('a schema that is too old fails preflight and the start with the same message', { skip }, async (t) => {
  const { url } = await createEmpty(t, { owner: true })
  await runOn(url, await readFile(new URL('../db/fixtures/before-baselines.sql', import.meta.url), 'utf8'))
  await runOn(url, `delete from kysely_migration where name > '0060'`)
  const { problems, start } = await judge({ DATABASE_URL: url })
  const line =
    /DATABASE_URL: the schema of the database \(0055-unproven-blocks\) is too old for this version\. Back .* out commit [0-9a-f]{40} of/
  t.match(problems, [line])
  t.match(start, line)
})

t.test(
  'more connections than the server allows are reported, with the number of processes that they allow',
  { skip },
  async (t) => {
    const { url, admin, name } = await createEmpty(t, { owner: true })
    await runOn(admin, `alter role ${name} connection limit 40`)
    const enough = await judge({ DATABASE_URL: url, REDIS_URL: 'redis://127.0.0.1:1' })
    t.match(enough, { problems: [], start: 'started' })
    t.match(
      enough.ok.join('\n'),
      /opens up to 22 of the 40 connections of the server, which suffices for 1 such process\./,
    )
    const others = { REDIS_URL: 'redis://127.0.0.1:1', RPC_URL: 'http://127.0.0.1:1', CHAIN_ID: '1' }
    const workers = await judge({ ...others, DATABASE_URL: url, WORKERS: '2' })
    t.match(workers.problems, [
      /WARN {2}WORKERS: WORKERS=2 opens up to 66 of the 40 connections .* Set it lower, or raise/,
    ])
    const { problems, start } = await judge({ DATABASE_URL: url, DATABASE_READ_CONNECTIONS: '30' })
    const line = `this process opens up to 43 connections, but the server allows 40 to the role ${name}. Lower DATABASE_READ_CONNECTIONS, DATABASE_WRITE_CONNECTIONS and DATABASE_SYNC_CONNECTIONS, or raise max_connections.`
    t.match(problems, [`FAIL  DATABASE_URL: ${line}`])
    t.match(start, `SetupError: DATABASE_URL: ${line}`)
  },
)

t.test('PgBouncer in session mode is accepted as documented, a missing setting is reported', { skip }, async (t) => {
  const { databaseUrl } = await createDatabasePlace(t)
  const [url, strict] = await Promise.all([
    startPgBouncer(t, databaseUrl as string, { mode: 'session' }),
    startPgBouncer(t, databaseUrl as string, { mode: 'session', ignoresOptions: false }),
  ])
  if (!url || !strict) return t.pass('PgBouncer is not installed')
  const { problems, start } = await judge({ DATABASE_URL: url })
  t.match(problems, [/^WARN {2}DATABASE_URL: a pooler ignores the timeouts of sessions\. Run: alter role postgres set/])
  t.equal(start, 'started')
  const other = await judge({ DATABASE_URL: strict })
  const line = /unsupported startup parameter: options\. Set ignore_startup_parameters = options/
  t.match(other.problems, [line])
  t.match(other.start, line)
})

t.test('migrations are rejected through a pooler that shares sessions', { skip }, async (t) => {
  const { url: direct } = await createEmpty(t, { owner: true })
  const url = await startPgBouncer(t, direct, { mode: 'transaction' })
  if (!url) return t.pass('PgBouncer is not installed')
  const line =
    /DATABASE_URL: it leads through a pooler that shares sessions .*\. Set DATABASE_DIRECT_URL to the URL of the Post/
  const startedAt = performance.now()
  const refused = await judge({ DATABASE_URL: url })
  t.match(refused.problems, [line])
  t.match(refused.start, line)
  t.ok(performance.now() - startedAt < SECONDS * 1_000, 'within seconds')
  const both = await judge({ DATABASE_URL: url, DATABASE_DIRECT_URL: url })
  t.match(
    both.start,
    /DATABASE_DIRECT_URL: it leads through a pooler .*\. Set it to the URL of the PostgreSQL server itself/,
  )

  const { problems, start } = await judge({ DATABASE_URL: url, DATABASE_DIRECT_URL: direct })
  t.match(problems, [/^WARN {2}DATABASE_URL: .* has no prepared statements: reads take longer\. Use PgBouncer 1\.21/])
  t.equal(start, 'started')
  const { url: another } = await createEmpty(t, { owner: true })
  const wrong = await judge({ DATABASE_URL: url, DATABASE_DIRECT_URL: another })
  t.match(wrong.problems.join('\n'), /FAIL {2}DATABASE_DIRECT_URL: it names another database than DATABASE_URL/)
  t.match(wrong.start, /^SetupError: DATABASE_DIRECT_URL: it names another database than DATABASE_URL\. Name the same/)
  await t.rejects(runOn(another, 'select from kysely_migration'), { code: '42P01' }, 'the other one is not migrated')
})

t.test('reads and writes use PgBouncer, the indexer connects directly', { skip }, async (t) => {
  const { databaseUrl: direct } = await createDatabasePlace(t)
  const url = await startPgBouncer(t, direct as string, { mode: 'transaction' })
  if (!url) return t.pass('PgBouncer is not installed')
  const opened = await openDatabase(configure({ DATABASE_URL: url, DATABASE_DIRECT_URL: direct as string }))
  t.teardown(() => opened.close())
  const { db, writes, indexer, lease } = opened
  // With named statements the second connection of a session would fail.
  const read = () => prepared(sql<{ one: number }>`select count(*)::int as one from outbox_state`).execute(db)
  for (const { rows } of await Promise.all(Array.from({ length: 50 }, read))) t.equal(rows[0]?.one, 1)
  await writes.transaction().execute((trx) => sql`update outbox_state set trimmed = trimmed`.execute(trx))
  const portOf = async (query: Promise<{ rows: { port: number }[] }>) => (await query).rows[0]?.port
  const port = "current_setting('application_name') as name, inet_client_port() as port"
  const client = await lease.connect()
  const ours = (client as unknown as { connection: { stream: { localPort: number } } }).connection.stream.localPort
  t.equal(await portOf(client.query(`select ${port}`)), ours, 'the lease has a session of its own')
  client.release()
  t.match((await sql<{ name: string }>`select current_setting('application_name') as name`.execute(indexer)).rows, [
    { name: /^slipway indexer / },
  ])
})

t.test('the start waits while PostgreSQL recovers or restarts', { skip }, async (t) => {
  const bin = await findPostgres()
  if (!bin) return t.pass('PostgreSQL is not installed')
  const server = await createRecoveringPostgres(t, bin)
  const config = configure({ DATABASE_URL: server.url })
  const waiting = Promise.withResolvers<void>()
  const lines: string[] = []
  const starting = openDatabase(config, undefined, (line) => {
    lines.push(line)
    waiting.resolve()
  })
  await waiting.promise
  t.match(lines, [/^PostgreSQL is not ready \(connect ECONNREFUSED .*\); waiting up to 5 s$/])
  await server.start()
  while (!lines.some((line) => line.includes('not accepting connections')))
    await new Promise((resolve) => setTimeout(resolve, 50))
  t.match(
    lines.at(-1),
    /^PostgreSQL is not ready \(the database system is not accepting connections\); waiting up to 60 s$/,
  )
  t.match((await checkDatabase(config)).map(describe), [
    /^FAIL .* not accepting connections\. Wait until PostgreSQL has started/,
  ])
  await server.endRecovery()
  await (await starting).close()
})

t.test('a start that waits for the migrations of another process reports it', { skip }, async (t) => {
  const { name, url } = await createEmpty(t, { owner: true })
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  t.teardown(() => other.end())
  // The lock of Kysely's migrator.
  await other.query('select pg_advisory_lock(3853314791062309107)')
  const waiting = Promise.withResolvers<string>()
  const starting = openDatabase(configure({ DATABASE_URL: url }), undefined, waiting.resolve)
  t.match(await waiting.promise, /^Another process migrates this database \(backend \d+ of the server\); waiting/)
  await other.query('select pg_advisory_unlock(3853314791062309107)')
  const { close } = await starting
  await close()
  t.pass(`${name} is migrated`)
})

t.test('a start whose session the server ends says so, and what to do', { skip }, async (t) => {
  const { databaseUrl } = await createDatabasePlace(t)
  const url = databaseUrl as string
  const config = configure({ DATABASE_URL: url, RPC_URL: 'http://127.0.0.1:1', CHAIN_ID: '31337', LOG_LEVEL: 'silent' })
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  t.teardown(() => other.end())
  await other.query('begin; lock table chain_state in access exclusive mode')
  const starting = openServices(config, createLogger(config))
  const ended = t.rejects(starting, {
    name: 'SetupError',
    message:
      /^DATABASE_URL: the database 127\.0\.0\.1:\d+\/\w+ cannot be used: .+\. Start the service again once PostgreSQL is back; a supervisor does\.$/,
  })
  const endWaiting = `select pg_terminate_backend(pid) from pg_locks
    where not granted and database = (select oid from pg_database where datname = current_database())`
  while ((await other.query(endWaiting)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  await ended
})
