import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { createPool, DEFAULT_LIMITS, limitPools } from '../../db/postgres/pools.ts'
import { PROCESS_NAME } from '../../db/process-name.ts'
import type { Database } from '../../db/schema.ts'
import { toAppError } from '../../plugins/errors.ts'
import { createTestApp } from '../support/app.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'

const skip = serverUrl === null && 'an embedded database has one connection'
const settings = `select application_name, current_setting('statement_timeout') as statement,
  current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
  current_setting('jit') as jit, current_setting('work_mem') as memory
  from pg_stat_activity where pid = pg_backend_pid()`
/** The pool whose connection answers. */
async function readPool(db: Kysely<Database>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select current_setting('application_name') as name`.execute(db)
  return rows[0]?.name.split(' ')[1]
}

t.test('each pool has its application name and limits', { skip }, async (t) => {
  const { pools } = await createTestDatabase(t)
  const expected = {
    reads: ['15s', '5s', '10s'],
    writes: ['15s', '5s', '10s'],
    syncs: ['15s', '5s', '10s'],
    indexer: ['10min', '30s', '1min'],
    lease: ['3s', '3s', '3s'],
  }
  t.same(Object.keys(pools), Object.keys(expected))
  for (const [name, [statement, lock, idle]] of Object.entries(expected)) {
    const found = await pools[name]?.query(settings)
    t.match(found?.rows[0], { application_name: `slipway ${name} ${PROCESS_NAME}`, statement, lock, idle, jit: 'off' })
  }
})

t.test('parameters of the URL are kept beside those of the pool', { skip }, async (t) => {
  const url = new URL(serverUrl as string)
  url.searchParams.set('application_name', 'launchpad of an operator')
  url.searchParams.set('options', '-c work_mem=5MB')
  const pool = createPool(url.href, 'reads', limitPools(DEFAULT_LIMITS).reads)
  t.teardown(() => pool.end())
  const { rows } = await pool.query(settings)
  t.match(rows[0], { application_name: `launchpad-of reads ${PROCESS_NAME}`, lock: '5s', memory: '5MB' })
  t.ok(rows[0].application_name.length <= 63)
})

t.test('writes have their own connections, inside and outside of transactions', { skip }, async (t) => {
  const { db, writes } = await createTestDatabase(t)
  const { app } = await createTestApp({
    services: { db, writes },
    extend: (other) => {
      other.route({
        method: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
        url: '/pools',
        handler: async (request, reply) => {
          const outside = await readPool(request.db)
          reply.header('pools', [outside, await request.db.transaction().execute(readPool)])
        },
      })
    },
  })
  t.teardown(() => app.close())
  const ask = async (method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE', headers = {}) =>
    (await app.inject({ method, url: '/pools', headers })).headers.pools
  for (const headers of [{}, { authorization: `Bearer ${app.issueToken(`0x${'a1'.repeat(20)}`)}` }]) {
    for (const method of ['GET', 'HEAD'] as const) t.same(await ask(method, headers), ['reads', 'reads'])
    for (const method of ['POST', 'PATCH', 'DELETE'] as const) t.same(await ask(method, headers), ['writes', 'writes'])
  }
})

t.test('a write and its authentication use only the connections for writes', { skip }, async (t) => {
  const { db, writes, pools } = await createTestDatabase(t)
  const { app } = await createTestApp({ services: { db, writes } })
  t.teardown(() => app.close())
  const used: string[] = []
  for (const name of ['reads', 'writes']) pools[name]?.on('acquire', () => used.push(name))
  const ask = async (method: 'GET' | 'POST', url: string, payload = {}) => {
    used.length = 0
    const headers = { authorization: `Bearer ${app.issueToken(`0x${'a1'.repeat(20)}`)}` }
    t.equal((await app.inject({ method, url, headers, ...(method === 'POST' && { payload }) })).statusCode, 200)
    return new Set(used)
  }
  t.same(await ask('GET', '/auth/me'), new Set(['reads']), 'the token is looked up')
  t.same(await ask('POST', '/auth/logout'), new Set(['writes']))
  const alert = { type: 'trade', wallet: `0x${'b2'.repeat(20)}` }
  t.same(await ask('POST', '/alerts', alert), new Set(['writes']), 'and whether the wallet is banned')
})

t.test('the locks of a stopped process are released', { skip }, async (t) => {
  const { syncs } = limitPools(DEFAULT_LIMITS)
  const pool = createPool(serverUrl as string, 'syncs', { ...syncs, idleInTransactionMs: 100 })
  const other = new pg.Client(serverUrl as string)
  await other.connect()
  t.teardown(() => Promise.all([pool.end(), other.end()]))
  const client = await pool.connect()
  const lock = process.pid
  // One message: between two the session would be idle in its transaction.
  await client.query(`begin; select pg_advisory_xact_lock(${lock})`)
  await other.query('select pg_advisory_lock($1)', [lock])
  const error = await client.query('commit').catch((thrown: unknown) => thrown)
  client.release(true)
  t.match(toAppError(error), { status: 503, retryAfter: 1 })
})
