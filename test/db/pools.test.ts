import pg from 'pg'
import t from 'tap'
import { writing } from '../../db/lanes.ts'
import { createPool, DEFAULT_LIMITS, limitPools } from '../../db/pools.ts'
import { PROCESS_NAME } from '../../db/process-name.ts'
import { toAppError } from '../../plugins/errors.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'

const skip = serverUrl === null && 'an embedded database has one connection'
const settings = `select application_name, current_setting('statement_timeout') as statement,
  current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
  current_setting('jit') as jit, current_setting('work_mem') as memory
  from pg_stat_activity where pid = pg_backend_pid()`

t.test('each pool tells its name, and has limits that fit its use', { skip }, async (t) => {
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

t.test('parameters of the URL are kept, and take nothing from those of the pool', { skip }, async (t) => {
  const url = new URL(serverUrl as string)
  url.searchParams.set('application_name', 'launchpad of an operator')
  url.searchParams.set('options', '-c work_mem=5MB')
  const pool = createPool(url.href, 'reads', limitPools(DEFAULT_LIMITS).reads)
  t.teardown(() => pool.end())
  const { rows } = await pool.query(settings)
  t.match(rows[0], { application_name: `launchpad-of reads ${PROCESS_NAME}`, lock: '5s', memory: '5MB' })
  t.ok(rows[0].application_name.length <= 63)
})

t.test('requests that write have connections of their own, inside and outside of transactions', { skip }, async (t) => {
  const { db, pools } = await createTestDatabase(t)
  const count = () => [pools.reads?.totalCount, pools.writes?.totalCount]
  const read = () => db.selectFrom('chain_state').selectAll().execute()
  await read()
  t.same(count(), [1, 0])
  await writing(read)
  await writing(() => db.transaction().execute((trx) => trx.selectFrom('chain_state').selectAll().execute()))
  t.same(count(), [1, 1])
})

t.test('a process that stops in the middle of a transaction frees its locks', { skip }, async (t) => {
  const { syncs } = limitPools(DEFAULT_LIMITS)
  const pool = createPool(serverUrl as string, 'syncs', { ...syncs, idleInTransactionMs: 100 })
  const other = new pg.Client(serverUrl as string)
  await other.connect()
  t.teardown(() => Promise.all([pool.end(), other.end()]))
  const client = await pool.connect()
  const lock = process.pid
  await client.query('begin')
  await client.query('select pg_advisory_xact_lock($1)', [lock])
  await other.query('select pg_advisory_lock($1)', [lock])
  const error = await client.query('commit').catch((thrown: unknown) => thrown)
  client.release(true)
  t.match(toAppError(error), { status: 503, retryAfter: 1 })
})
