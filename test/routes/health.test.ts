import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { Chain } from '../../chain/client.ts'
import { openPglite } from '../../db/client.ts'
import { migrateToLatest } from '../../db/migrate.ts'
import type { ReadReplica } from '../../db/read-replica.ts'
import type { Database } from '../../db/schema.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { AppError } from '../../errors.ts'
import { createMemoryCache } from '../../plugins/cache-memory.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { createTestEvents } from '../support/live-events.ts'

const [anvil, database] = await Promise.all([startAnvil(), openPglite('memory://')])
await migrateToLatest(database.db)
const chain = new Chain([anvil.url])
const config = testConfig({ RPC_URL: anvil.url, CHAIN_ID: '31337', MAX_LAG_BLOCKS: '5' })
const services = { db: database.db, chain }
const { app } = await createTestApp({ config, services })
t.teardown(async () => {
  await app.close()
  await database.close()
  await anvil.stop()
})

const setState = async (state: { checkpoint_number: number; halted?: string | null }) => {
  await database.db.deleteFrom('chain_state').execute()
  await database.db
    .insertInto('chain_state')
    .values({
      chain_id: 31337,
      genesis_hash: `0x${'0'.repeat(64)}`,
      wrapped_native: `0x${'0'.repeat(40)}`,
      launchpads: '[]',
      checkpoint_hash: `0x${'0'.repeat(64)}`,
      checkpoint_time: 1_700_000_000,
      clock_time: 1_700_000_000,
      head_number: state.checkpoint_number,
      head_time: 1_700_000_000,
      finalized_number: 0,
      ...state,
    })
    .execute()
}
const failed = (...checks: string[]) => ({ success: false, data: null, error: `Failed checks: ${checks.join(', ')}` })

t.test('while the indexer has not begun, health names it', async (t) => {
  const answer = await app.inject('/health')
  t.equal(answer.statusCode, 503)
  t.same(answer.json(), failed('indexer'))
})

t.test('health tells latencies and lag when all is well', async (t) => {
  await setState({ checkpoint_number: 0 })
  for (const url of ['/health', '/api/health']) {
    const answer = await app.inject(url)
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['cache-control'], 'no-store')
    const { data } = answer.json()
    t.match(data, { database: { ok: true }, cache: { ok: true }, rpc: { ok: true, blockNumber: 0 } })
    t.match(data.indexer, {
      ok: true,
      blockNumber: 0,
      lagBlocks: 0,
      lagSeconds: 0,
      blockTime: '2023-11-14T22:13:20.000Z',
    })
    t.type(data.database.latencyMs, 'number')
  }
})

t.test('an indexer that fell behind, or halted, fails health', async (t) => {
  const { client } = chain
  await client.request({ method: 'anvil_mine', params: ['0x5'] } as never)
  t.match((await app.inject('/health')).json(), { data: { indexer: { lagBlocks: 5 } } })
  await client.request({ method: 'anvil_mine', params: ['0x1'] } as never)
  t.same((await app.inject('/health')).json(), failed('indexer'))
  await setState({ checkpoint_number: 6, halted: 'reorg deeper than finality' })
  t.same((await app.inject('/health')).json(), failed('indexer'))
})

t.test('a node that is down fails health, and not readiness', async (t) => {
  await setState({ checkpoint_number: 6 })
  const other = await createTestApp({ services: { db: database.db } })
  t.teardown(() => other.app.close())
  t.same((await other.app.inject('/health')).json(), failed('rpc'))
  t.equal((await other.app.inject('/ready')).statusCode, 200)
})

t.test('a cache that is down fails health, and not readiness: no replica would be left to degrade', async (t) => {
  const down = async () => {
    throw new AppError('CACHE_UNAVAILABLE')
  }
  const other = await createTestApp({
    config,
    services: { chain, db: database.db, cache: { ...createMemoryCache(), ping: down } },
  })
  t.teardown(() => other.app.close())
  t.same((await other.app.inject('/health')).json(), failed('cache'))
  t.equal((await other.app.inject('/ready')).statusCode, 200)
})

t.test('a database that is down fails health and readiness, and not liveness', async (t) => {
  const down = async () => {
    throw new AppError('CACHE_UNAVAILABLE')
  }
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const other = await createTestApp({
    config,
    services: { chain, db, live: createTestEvents(), cache: { ...createMemoryCache(), ping: down } },
  })
  t.teardown(() => other.app.close())
  const health = await other.app.inject('/health')
  t.equal(health.statusCode, 503)
  t.same(health.json(), failed('database', 'cache', 'indexer'))
  t.same((await other.app.inject('/ready')).json(), failed('database'))
  t.equal(health.headers['retry-after'], '1')
  t.same((await other.app.inject('/live')).json(), { success: true, data: { alive: true } })
})

t.test('a read replica that is late or down is told of, and fails nothing', async (t) => {
  await setState({ checkpoint_number: 6 })
  t.equal((await app.inject('/health')).json().data.readReplica, null, 'there is none')
  const status = { state: 'behind' as const, lagSeconds: 7.5 }
  const replica = { status: () => status } as ReadReplica
  const other = await createTestApp({ config, services: { ...services, replica } })
  t.teardown(() => other.app.close())
  const answer = await other.app.inject('/health')
  t.equal(answer.statusCode, 200)
  t.same(answer.json().data.readReplica, status)
})
