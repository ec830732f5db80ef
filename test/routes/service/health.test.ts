import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { Chain, type Header } from '../../../chain/rpc/client.ts'
import { createHeadCheck } from '../../../chain/rpc/head-age.ts'
import type { Db } from '../../../db/client.ts'
import { openPglite } from '../../../db/client.ts'
import type { ReadReplica } from '../../../db/postgres/read-replica.ts'
import type { Database } from '../../../db/schema.ts'
import { startAnvil } from '../../../dev/anvil.ts'
import { AppError } from '../../../errors.ts'
import { createMemoryCache } from '../../../lib/cache/cache-memory.ts'
import { writeTrouble } from '../../../lib/cache/indexer-trouble.ts'
import { writeKeeperState } from '../../../lib/cache/keeper-state.ts'
import { until } from '../../acceptance/support/service.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createTestEvents } from '../../support/live-events.ts'
import { copyPreparedFiles } from '../../support/prepared-database.ts'
import { parseScrape, readValue } from '../../support/scrape.ts'
import { answer as respond, startThirdParty } from '../../support/third-party.ts'

const [anvil, database] = await Promise.all([
  startAnvil(),
  openPglite('memory://', undefined, await copyPreparedFiles()),
])
const chain = new Chain([anvil.url])
const config = testConfig({ RPC_URL: anvil.url, CHAIN_ID: '31337', MAX_LAG_BLOCKS: '5' })
const services = { db: database.db, chain }
const { app } = await createTestApp({ config, services })
t.teardown(async () => {
  await app.close()
  await database.close()
  await anvil.stop()
})

/** As an active indexer does every two seconds. */
const beat = (secondsAgo = 0) =>
  sql`update indexer_lease set holder = 'machine:1:1f3a9c2e',
    heartbeat_at = clock_timestamp() - make_interval(secs => ${secondsAgo})`.execute(database.db)

const setState = async (state: { checkpoint_number: number; halted?: string | null }) => {
  await database.db.deleteFrom('chain_state').execute()
  await database.db
    .insertInto('chain_state')
    .values({
      chain_id: 31337,
      genesis_hash: `0x${'0'.repeat(64)}`,
      wrapped_native: `0x${'0'.repeat(40)}`,
      contracts: '{}',
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

/** Asks /health until it says what is expected: one answer is shared for a second. */
const untilHealth = (error: string | null, expected: object = {}) =>
  until(
    async () => (await app.inject('/health')).json(),
    (body) => (error === null ? body.success && includes(body.data, expected) : body.error === error),
    error ?? 'healthy',
  )
const includes = (data: unknown, expected: object): boolean =>
  Object.entries(expected).every(([key, value]) => {
    const found = (data as Record<string, unknown>)[key]
    return typeof value === 'object' && value !== null ? includes(found, value) : found === value
  })
const failedSentence = (...checks: string[]) => `Failed checks: ${checks.join(', ')}`

t.test('before the indexer starts, health reports it', async (t) => {
  const answer = await app.inject('/health')
  t.equal(answer.statusCode, 503)
  t.same(answer.json(), failed('indexer (no indexer has started)'))
})

t.test('health fails until an indexer is active, even if the indexed block is the head', async (t) => {
  await setState({ checkpoint_number: 0 })
  t.ok(await untilHealth(failedSentence('indexer (no indexer has been active)')))
})

t.test('health reports latencies and lag when all checks pass', async (t) => {
  await beat()
  t.ok(await untilHealth(null))
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
      leader: '1f3a9c2e',
    })
    t.ok(data.indexer.heartbeatSeconds < 20)
    t.type(data.database.latencyMs, 'number')
  }
})

t.test('during the first backfill health fails and reports the progress', async (t) => {
  const head = (await chain.getHeader('latest'))!.number
  const startedAt = Math.floor(Date.now() / 1_000)
  const load = (from: number, indexes: object[] = []) =>
    database.db
      .updateTable('chain_state')
      .set({ bulk_load: JSON.stringify({ startedAt, from, indexes }) })
      .execute()
  await load(head - 10)
  t.ok(await untilHealth('Failed checks: indexer (backfilling: creating 0 indexes)'))
  await setState({ checkpoint_number: head - 3 })
  await load(head - 10)
  t.ok(await untilHealth('Failed checks: indexer (backfilling: 70 % of the blocks, about 1 min left)'))
  await setState({ checkpoint_number: head })
  t.ok(await untilHealth(null))
})

t.test('without a heartbeat for 30 s health fails, regardless of lag', async (t) => {
  await beat(25)
  const isLate = ({ success, data }: { success: boolean; data: { indexer: { heartbeatSeconds: number } } }) =>
    success && data.indexer.heartbeatSeconds >= 25
  const answer = await until(async () => (await app.inject('/health')).json(), isLate, 'a late heartbeat')
  t.match(answer, { data: { indexer: { lagBlocks: 0 } } })
  await beat(40)
  const ask = async () => (await app.inject('/health')).json()
  const silent = await until(ask, ({ success }) => !success, 'it fails')
  t.match(silent.error, /^Failed checks: indexer \(no active indexer for 4\d s\)$/)
  await beat()
  t.ok(await untilHealth(null))
})

t.test('a lagging or halted indexer fails health', async (t) => {
  await beat()
  const { client } = chain
  await client.request({ method: 'anvil_mine', params: ['0x5'] } as never)
  t.ok(await untilHealth(null, { indexer: { lagBlocks: 5 } }))
  await client.request({ method: 'anvil_mine', params: ['0x1'] } as never)
  t.ok(await untilHealth(failedSentence('indexer (behind by 6 blocks)')))
  await setState({ checkpoint_number: 6 })
  t.ok(await untilHealth(null))
  await setState({ checkpoint_number: 6, halted: 'reorg deeper than finality' })
  t.ok(await untilHealth(failedSentence('indexer (halted: reorg deeper than finality)')))
})

t.test('a head that stops advancing fails health', async (t) => {
  const now = Math.floor(Date.now() / 1000)
  /** A chain with a block every `interval` seconds, the last of which is `age` old. */
  const startNode = (interval: number, age: number, head = 100) =>
    startThirdParty(t, (response, { body }) => {
      const reply = ({ id, params: [at] }: { id: number; params: string[] }) => {
        const number = at === 'latest' ? head : Number(at)
        const time = now - age - (head - number) * interval
        const [word, hex] = [number.toString(16).padStart(64, '0'), (value: number) => `0x${value.toString(16)}`]
        const result = { number: hex(number), hash: `0x${word}`, parentHash: `0x${word}`, timestamp: hex(time) }
        return { jsonrpc: '2.0', id, result }
      }
      const asked = JSON.parse(body)
      respond(Array.isArray(asked) ? asked.map(reply) : reply(asked))(response, {} as never)
    })
  const isStale = async (maxAge: number | null, ...blocks: Parameters<typeof startNode>) => {
    const chain = new Chain([(await startNode(...blocks)).url])
    const head = await chain.getHeader('latest')
    return createHeadCheck(
      chain,
      maxAge,
    )(head as Header).then(
      () => false,
      () => true,
    )
  }
  t.equal(await isStale(null, 2, 100), false)
  t.equal(await isStale(null, 2, 200), true, 'blocks every two seconds')
  t.equal(await isStale(null, 60, 500), false, 'blocks every minute')
  t.equal(await isStale(null, 60, 700), true)
  t.equal(await isStale(null, 2, 5_000, 20), false, 'a chain that has hardly begun')
  t.equal(await isStale(300, 60, 500), true, 'by a setting')
  t.equal(await isStale(0, 2, 5_000), false, 'turned off')

  const { url } = await startNode(2, 5_000)
  for (const [chainId, error] of [
    ['8453', /^Failed checks: rpc \(the newest block is 50\d\d s old; at most 120 s are expected\)$/],
    ['31337', null],
  ] as const) {
    const given = testConfig({ RPC_URL: url, CHAIN_ID: chainId, MAX_LAG_BLOCKS: '1000' })
    const other = await createTestApp({ config: given, services: { db: database.db, chain: new Chain([url]) } })
    t.teardown(() => other.app.close())
    await setState({ checkpoint_number: 6 })
    t.match((await other.app.inject('/health')).json(), error === null ? { success: true } : { error }, chainId)
  }
  await setState({ checkpoint_number: 6 })
})

t.test('a node that is down fails health but not readiness', async (t) => {
  await beat()
  await setState({ checkpoint_number: 6 })
  const other = await createTestApp({ services: { db: database.db } })
  t.teardown(() => other.app.close())
  const problem = 'rpc (node 1 of RPC_URL fails eth_getBlockByNumber (no response))'
  t.same((await other.app.inject('/health')).json(), failed(problem))
  t.equal((await other.app.inject('/ready')).statusCode, 200)
})

t.test('an indexer whose steps fail for 15 s fails health, with the reason', async (t) => {
  await beat()
  await setState({ checkpoint_number: 6 })
  const { app: other, services: own } = await createTestApp({ config, services })
  t.teardown(() => other.close())
  const reason = 'node 1 of RPC_URL fails eth_getLogs (HTTP 403)'
  await writeTrouble(own.cache, { since: Date.now() - 40_000, reason })
  const found = (await other.inject('/health')).json()
  t.match(
    found.error,
    /^Failed checks: indexer \(cannot index for 4\d s: node 1 of RPC_URL fails eth_getLogs \(HTTP 403\)\)$/,
  )
  await writeTrouble(own.cache, null)
  await until(
    async () => (await other.inject('/health')).json(),
    ({ success }) => success,
    'healthy',
  )
})

t.test('a keeper whose graduations make no progress for a minute fails health', async (t) => {
  await beat()
  const { app: other, services: own } = await createTestApp({ config, services })
  t.teardown(() => other.close())
  const account = { address: `0x${'ab'.repeat(20)}`, balance: '5', waiting: 2 }
  const ask = async () => (await other.inject('/health')).json()
  t.equal((await ask()).data.keeper, null, 'none runs')
  const problem = 'the nodes are down'
  await writeKeeperState(own.cache, { ...account, problem, since: Date.now() - 50_000 })
  const early = await until(ask, ({ data }) => data.keeper !== null, 'it is read')
  t.match(early, { success: true, data: { keeper: { ...account, problem } } })
  await writeKeeperState(own.cache, { ...account, problem, since: Date.now() - 61_000 })
  await until(ask, ({ error }) => error === 'Failed checks: keeper (the nodes are down)', 'it fails')
  await writeKeeperState(own.cache, { ...account, problem: null, since: null })
  await until(ask, ({ success }) => success, 'healthy')
})

t.test('a cache that is down fails health but not readiness, so that replicas stay in service', async (t) => {
  await beat()
  const down = async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED redis.internal:6379'), { code: 'ECONNREFUSED' })
    throw new AppError('CACHE_UNAVAILABLE', {}, { cause })
  }
  const other = await createTestApp({
    config,
    services: { chain, db: database.db, cache: { ...createMemoryCache(), probe: down } },
  })
  t.teardown(() => other.app.close())
  t.same((await other.app.inject('/health')).json(), failed('cache (connection refused)'))
  t.equal((await other.app.inject('/ready')).statusCode, 200)
  const metrics = parseScrape((await other.app.inject('/metrics')).body)
  const checks = ['database', 'cache', 'rpc', 'indexer', 'keeper']
  t.same(
    checks.map((check) => readValue(metrics, 'slipway_health_check', { check })),
    [1, 0, 1, 1, 1],
    'the metrics have each check',
  )
})

t.test('a database that is down fails health and readiness but not liveness', async (t) => {
  const down = async () => {
    throw new AppError('CACHE_UNAVAILABLE')
  }
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const other = await createTestApp({
    config,
    services: { chain, db, live: createTestEvents(), cache: { ...createMemoryCache(), probe: down } },
  })
  t.teardown(() => other.app.close())
  const health = await other.app.inject('/health')
  t.equal(health.statusCode, 503)
  t.same(health.json(), failed('database (connection refused)', 'cache', 'indexer (unknown without the database)'))
  t.same((await other.app.inject('/ready')).json(), failed('database'))
  t.equal(health.headers['retry-after'], '1')
  t.same((await other.app.inject('/live')).json(), { success: true, data: { alive: true } })
})

t.test('a lagging or unavailable read replica is reported and fails no check', async (t) => {
  await beat()
  await setState({ checkpoint_number: 6 })
  t.equal((await untilHealth(null)).data.readReplica, null, 'there is none')
  const status = { state: 'behind' as const, lagSeconds: 7.5 }
  const replica = { status: () => status } as ReadReplica
  const other = await createTestApp({ config, services: { ...services, replica } })
  t.teardown(() => other.app.close())
  const answer = await other.app.inject('/health')
  t.equal(answer.statusCode, 200)
  t.same(answer.json().data.readReplica, status)
})

t.test(
  'concurrent health requests at both mounts share one check and its result, also if the check fails',
  async (t) => {
    await setState({ checkpoint_number: 6 })
    let [probes, reads, isDown] = [0, 0, false]
    const memory = createMemoryCache()
    const cache = {
      ...memory,
      probe: async () => {
        probes++
        if (isDown) throw new AppError('CACHE_UNAVAILABLE')
      },
    }
    const db = new Proxy(database.db, {
      get: (target, key) => {
        if (key === 'selectFrom') reads++
        const value = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }) as Db
    const other = await createTestApp({ config, services: { ...services, db, cache } })
    t.teardown(() => other.app.close())
    /** The most checks that may be made: results are kept for a second. */
    let most = 0
    const askAll = async (...paths: string[]) => {
      ;[probes, reads] = [0, 0]
      const start = performance.now()
      const urls = Array.from({ length: 200 }, (_, at) => paths[at % paths.length] as string)
      const answers = await Promise.all(urls.map((url) => other.app.inject(url)))
      most = 3 + Math.floor((performance.now() - start) / 1_000)
      return new Set(answers.map(({ statusCode }) => statusCode))
    }
    t.same(await askAll('/health', '/api/health'), new Set([200]))
    t.ok(probes >= 1 && probes <= most, `${probes} checks for 200 requests`)
    t.same(await askAll('/ready', '/api/ready'), new Set([200]))
    t.ok(reads >= 1 && reads <= most, `${reads} queries for 200 requests`)
    isDown = true
    await until(
      () => other.app.inject('/health'),
      ({ statusCode }) => statusCode === 503,
      'down',
    )
    t.same(await askAll('/health', '/api/health'), new Set([503]))
    t.ok(probes <= most, `${probes} failing checks for 200 requests`)
  },
)
