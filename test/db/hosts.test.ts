import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { openDatabase } from '../../db/client.ts'
import { NoHostError } from '../../db/postgres/hosts.ts'
import { createPool, NO_LIMITS } from '../../db/postgres/pools.ts'
import { openLiveBus } from '../../features/live/live-bus.ts'
import { listenToOutbox } from '../../features/live/live-postgres.ts'
import { ALL_CACHE_TAGS } from '../../lib/cache/data-versions.ts'
import { checkDatabase } from '../../preflight/check-database.ts'
import { describe } from '../../preflight/finding.ts'
import { until } from '../acceptance/support/service.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { findPort } from '../support/servers/find-port.ts'
import { findPostgres, startReplicatedPostgres } from '../support/servers/replicated-postgres.ts'

const bin = await findPostgres()
if (!bin) {
  t.plan(0, 'there is no PostgreSQL server on this machine')
  process.exit(0)
}
const { primary, replica } = await startReplicatedPostgres(t, bin)
const placeOf = (url: string) => new URL(url).host
const gone = `127.0.0.1:${await findPort()}`
/** The primary is neither the first host nor the last. */
const url = `postgres://postgres@${placeOf(replica.url)},${placeOf(primary.url)},${gone}/postgres`
const config = testConfig({ DATABASE_URL: `${url}?target_session_attrs=primary` })
const database = await openDatabase(config)
const { db } = database
t.teardown(() => database.close())
const pool = createPool(url, 'test', { ...NO_LIMITS, connections: 3 })
const standby = createPool(`${url}?target_session_attrs=standby`, 'test', { ...NO_LIMITS, connections: 1 })
t.teardown(() => Promise.all([pool.end(), standby.end()]))

const findPortOf = async (from: pg.Pool) => {
  const { rows } = await from.query<{ port: number }>('select inet_server_port() as port')
  return `127.0.0.1:${rows[0]?.port}`
}
const ask = (from: pg.Pool) => findPortOf(from).catch((error: Error) => error.message)
const becomes = (from: pg.Pool, place: string, what: string) =>
  until(
    () => ask(from),
    (found) => found === place,
    what,
  )

/** Runs statements on one server, whatever its role. */
async function runOn(server: { url: string }, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.url)
  client.on('error', () => {})
  await client.connect()
  return client
    .query(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

t.test('a server that refuses to listen keeps no connections', async (t) => {
  const log = { info: () => {}, warn: () => {} }
  const { hostname, port } = new URL(replica.url)
  const open = new Set<Socket>()
  let attempts = 0
  const proxy = createServer((socket) => {
    attempts += 1
    open.add(socket)
    const upstream = connect(Number(port), hostname)
    socket.pipe(upstream).pipe(socket)
    for (const one of [socket, upstream]) one.on('error', () => {}).on('close', () => open.delete(socket))
  }).listen(0, '127.0.0.1')
  t.teardown(() => proxy.close())
  await once(proxy, 'listening')
  const { port: ownPort } = proxy.address() as AddressInfo
  const notifications = listenToOutbox(`postgres://postgres@127.0.0.1:${ownPort}/postgres`, { log, onCommit: () => {} })
  await until(
    async () => attempts,
    (count) => count >= 4,
    'it has tried again and again',
  )
  t.ok(open.size <= 1, `${open.size} are open`)
  await notifications.close()
})

t.test('of several hosts the primary is used, and a replica if one is wanted', async (t) => {
  t.equal(await findPortOf(pool), placeOf(primary.url))
  t.equal(await findPortOf(standby), placeOf(replica.url))
})

t.test('preflight names the role of each host, and a failover that loses commits', async (t) => {
  const lines = (await checkDatabase(config)).map(describe)
  const has = (line: string) => t.ok(lines.includes(line), `${line}\n${lines.join('\n')}`)
  has(`OK    DATABASE_URL: ${placeOf(replica.url)} is a replica.`)
  has(`OK    DATABASE_URL: ${placeOf(primary.url)} is a primary.`)
  t.match(
    lines.find((line) => line.includes(gone)),
    /^WARN +DATABASE_URL: .* is unavailable: .*ECONNREFUSED/,
  )
  t.match(
    lines.find((line) => line.includes('commits wait')),
    /^WARN +DATABASE_URL: commits wait for no replica: a failover loses the last ones\. With Patroni/,
  )
  await runOn(primary, `alter system set synchronous_standby_names = '*'`)
  await runOn(primary, 'select pg_reload_conf()')
  await until(
    async () => (await checkDatabase(config)).map(describe),
    (found) => found.includes('OK    DATABASE_URL: commits wait for a replica: a failover to it loses nothing.'),
    'the setting is read',
  )
  await runOn(primary, 'alter system reset synchronous_standby_names')
  await runOn(primary, 'select pg_reload_conf()')
})

t.test('a primary that hangs is replaced by the promoted replica, which may lack commits', async (t) => {
  const warnings: string[] = []
  const log = { info: () => {}, error: () => {}, warn: (_: object, message: string) => void warnings.push(message) }
  const live = await openLiveBus({ db, redis: null, databaseUrl: url, log, pollMs: 50 })
  t.teardown(() => live.close())
  let losses = 0
  const received: number[] = []
  live.subscribe(
    ({ seq }) => received.push(seq),
    () => losses++,
  )
  const { app } = await createTestApp({ config, services: { db, writes: database.writes, live } })
  t.teardown(() => app.close())
  const write = (name: string) =>
    app.transactionWithEvents(
      async (trx) => {
        await sql`insert into profiles (wallet) values (${`0x${name.padStart(40, '0')}`})`.execute(trx)
      },
      ['social'],
    )
  const listProfiles = async () => (await db.selectFrom('profiles').select('wallet').execute()).length
  await write('1')
  await until(
    () => runOn(replica, 'select from profiles'),
    (rows) => rows.length === 1,
    'it is replicated',
  )

  // Its replica gets nothing more, though clients get their answers.
  for (const { pid } of await runOn(primary, 'select pid from pg_stat_replication'))
    process.kill(Number(pid), 'SIGSTOP')
  for (const name of ['2', '3', '4']) await write(name)
  const known = live.versions.head
  t.equal(await listProfiles(), 4)
  const hanging = pool.query('select pg_sleep(60)')
  const ended = t.rejects(hanging, /Connection terminated/, 'a query that the former primary runs is given up')
  await primary.pause()
  await runOn(replica, 'select pg_promote()')
  await becomes(pool, placeOf(replica.url), 'the promoted replica is found')
  await ended

  await until(async () => losses, Boolean, 'listeners learn that events may be lost')
  t.equal(losses, 1)
  t.ok(
    warnings.some((line) => line.includes('PostgreSQL has another primary')),
    warnings.join('; '),
  )
  t.equal(await listProfiles(), 1, 'three commits are lost')
  t.notOk(live.versions.isCurrent(['social'], known), 'responses of before are not served again')
  for (const tag of ALL_CACHE_TAGS) t.notOk(live.versions.isCurrent([tag], known), tag)
  t.ok(live.head > known, 'the head is above every event of the former history')
  for (const since of [known - 1, known])
    t.equal((await live.replay('data', since, 10)).complete, false, 'a replay of the former history has gaps')
  await write('5')
  t.ok(live.versions.head > known + 1, 'numbers are not used again')
  t.equal((await live.replay('data', live.head, 10)).complete, true)
})

t.test('a former primary that comes back is not used', async (t) => {
  primary.resume()
  t.same(await runOn(primary, 'select pg_is_in_recovery() as standby'), [{ standby: false }])
  await replica.kill()
  const failed = await until(
    () =>
      pool.query('select').then(
        () => null,
        (error: unknown) => error,
      ),
    (error) => error instanceof NoHostError,
    'no host is a primary',
  )
  t.match((failed as Error).message, `${placeOf(primary.url)} is a former primary`)
  t.equal((failed as NoHostError).summary, 'none of the 3 hosts is a primary: 2 unavailable')
  await replica.start()
  await becomes(pool, placeOf(replica.url), 'the primary is back')
})
