import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import t from 'tap'
import { buildApp } from '../../app.ts'
import { watchProgress } from '../../indexer/engine/watch-indexer.ts'
import { createLogger } from '../../lib/telemetry/create-logger.ts'
import { createMetrics } from '../../lib/telemetry/create-metrics.ts'
import { watchProcess } from '../../lib/telemetry/watch-process.ts'
import { buildMetricsServer, buildProbes } from '../../probes.ts'
import { openServices } from '../../services.ts'
import { startChain } from '../acceptance/support/chain.ts'
import { until } from '../acceptance/support/service.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { createDatabasePlace, createTestDatabase } from '../support/database.ts'
import { parseScrape, readValue } from '../support/scrape.ts'

const chain = await startChain(t)
const place = await createDatabasePlace(t)
const config = testConfig({
  ...chain.env,
  POLL_INTERVAL_MS: '20',
  DATA_DIR: place.dataDir,
  ...(place.databaseUrl && { DATABASE_URL: place.databaseUrl }),
  ...(process.env.TEST_REDIS_URL && { REDIS_URL: process.env.TEST_REDIS_URL }),
})
const services = await openServices(config, createLogger(config))
const app = await buildApp(config, services)
await app.listen({ port: 0, host: '127.0.0.1' })
const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
t.teardown(async () => {
  await app.close()
  await services.close()
})

const scrape = async (url = `${base}/metrics`) => {
  const response = await fetch(url)
  return parseScrape(await response.text())
}
const ADDRESS = `0x${'ab'.repeat(20)}`

t.test('the first scrape has the processor time until then', async (t) => {
  const metrics = createMetrics()
  t.teardown(watchProcess(metrics))
  const first = parseScrape(await metrics.scrape())
  for (const mode of ['user', 'system'])
    t.ok(readValue(first, 'slipway_process_cpu_seconds_total', { mode })! > 0, mode)
})

t.test('a scrape is plain text at both mounts, and never cached', async (t) => {
  for (const path of ['/metrics', '/api/metrics']) {
    const response = await fetch(base + path)
    t.equal(response.status, 200)
    t.match(response.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
    t.equal(response.headers.get('cache-control'), 'no-store')
    t.ok(parseScrape(await response.text()).size > 20)
  }
})

t.test('requests are counted by operation, method and status class', async (t) => {
  const before = await scrape()
  for (const path of ['/tokens', '/api/tokens', `/tokens/${ADDRESS}`, '/tokens?limit=0', `/${ADDRESS}`, '/no/such']) {
    await (await fetch(base + path)).text()
  }
  const after = await until(scrape, (now) => more(now, { operation: 'none', status: '4xx' }) === 2, 'six are counted')
  function more(now: typeof before, labels: Record<string, string>) {
    const name = 'slipway_http_requests_total'
    return (readValue(now, name, labels) ?? 0) - (readValue(before, name, labels) ?? 0)
  }
  t.equal(more(after, { operation: 'listTokens', method: 'GET', status: '2xx' }), 2)
  t.equal(more(after, { operation: 'listTokens', status: '4xx' }), 1)
  t.equal(more(after, { operation: 'getToken', status: '4xx' }), 1)
  t.equal(readValue(after, 'slipway_http_request_duration_seconds_count', { operation: 'getToken' }), 1)
  t.equal(readValue(after, 'slipway_http_requests_in_flight'), 1, 'the scrape itself')
})

t.test('an unknown method adds no label value', async (t) => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  httpRequest(`${base}/tokens`, { method: 'PROPFIND' }, (response) => response.resume().on('end', resolve))
    .on('error', reject)
    .end()
  await promise
  const metrics = await until(
    scrape,
    (now) => readValue(now, 'slipway_http_requests_total', { method: 'other' }) === 1,
    'counted',
  )
  t.notOk(metrics.get('slipway_http_requests_total')?.samples.some(({ labels }) => labels.method === 'PROPFIND'))
})

t.test('the indexer, the database, the cache, nodes and the process are measured', async (t) => {
  await chain.rpc('anvil_mine', '0x3')
  const height = Number(await chain.rpc('eth_blockNumber'))
  await services.chain.getReceipt(`0x${'0'.repeat(64)}`)
  await app.cache.get('nonce:nobody')
  await app.cache.set('nonce:somebody', 'x', 60)
  await app.cache.get('nonce:somebody')
  const metrics = await until(
    scrape,
    (now) => (readValue(now, 'slipway_indexer_checkpoint_block') ?? 0) >= height,
    'indexed',
  )
  const expected: Record<string, number> = {
    slipway_indexer_leader: 1,
    slipway_indexer_halted: 0,
    slipway_indexer_lag_blocks: 0,
    slipway_indexer_lag_seconds: 0,
    slipway_indexer_reorgs_total: 0,
    slipway_og_queue_size: 0,
    slipway_images_refused_from_memory_total: 0,
    slipway_market_data_circuit_open: 0,
  }
  for (const [name, value] of Object.entries(expected)) t.equal(readValue(metrics, name), value, name)
  t.equal(readValue(metrics, 'slipway_indexer_head_block'), height)
  t.equal(readValue(metrics, 'slipway_child_process_starts_total', { pool: 'uploads' }), 0)
  t.equal(readValue(metrics, 'slipway_child_process_kills_total', { reason: 'crash' }), 0)
  t.ok(readValue(metrics, 'slipway_indexer_batches_total')! >= 1)
  t.ok(readValue(metrics, 'slipway_indexer_heartbeat_age_seconds')! < 60)
  const pools = place.databaseUrl === null ? ['embedded'] : ['reads', 'indexer', 'lease']
  for (const pool of pools) t.ok(readValue(metrics, 'slipway_database_connections', { pool })! >= 1, pool)
  t.equal(readValue(metrics, 'slipway_cache_lookups_total', { cache: 'nonce', result: 'miss' }), 1)
  t.equal(readValue(metrics, 'slipway_cache_lookups_total', { cache: 'nonce', result: 'hit' }), 1)
  const receipts = { source: 'service', method: 'eth_getTransactionReceipt', outcome: 'ok' }
  t.equal(readValue(metrics, 'slipway_rpc_requests_total', receipts), 1)
  t.equal(readValue(metrics, 'slipway_rpc_request_duration_seconds_count', { method: receipts.method }), 1)
  for (const name of ['process_resident_memory_bytes', 'process_start_time_seconds', 'process_cpu_seconds_total']) {
    t.ok(readValue(metrics, `slipway_${name}`)! > 0, name)
  }
  t.type(readValue(metrics, 'slipway_event_loop_lag_seconds', { quantile: '0.99' }), 'number')
})

t.test('without an active indexer the lag grows by the clock, whatever block was the last seen', async (t) => {
  const { db } = await createTestDatabase(t)
  const now = Math.floor(Date.now() / 1_000)
  await sql`insert into chain_state (chain_id, genesis_hash, wrapped_native, contracts, checkpoint_number, checkpoint_hash,
    checkpoint_time, clock_time, head_number, head_time, finalized_number)
    values (31337, '', '', '{}', 9, '', ${now - 200}, ${now - 200}, 9, ${now - 200}, 0)`.execute(db)
  const read = async () => {
    const metrics = createMetrics()
    watchProgress(metrics, db)
    const scraped = parseScrape(await metrics.scrape())
    return ['blocks', 'seconds'].map((unit) => readValue(scraped, `slipway_indexer_lag_${unit}`))
  }
  const beat = (secondsAgo: number) =>
    sql`update indexer_lease set heartbeat_at = clock_timestamp() - make_interval(secs => ${secondsAgo})`.execute(db)
  await beat(0)
  t.same(await read(), [0, 0], 'an indexer at the head')
  await beat(40)
  const [blocks, seconds] = await read()
  t.equal(blocks, undefined)
  t.ok(seconds! >= 200, `${seconds} s`)
})

t.test('calls of the RPC proxy are counted separately, including rejected ones', async (t) => {
  const call = (method: string, params: unknown[]) =>
    fetch(`${base}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    })
  const start = performance.now()
  await call('eth_blockNumber', [])
  await call('eth_sendRawTransaction', ['0x00'])
  const count = (now: Awaited<ReturnType<typeof scrape>>, method: string, outcome: string) =>
    readValue(now, 'slipway_rpc_requests_total', { source: 'proxy', method, outcome })
  const metrics = await until(scrape, (now) => count(now, 'eth_sendRawTransaction', 'refused') === 1, 'counted')
  t.equal(count(metrics, 'eth_blockNumber', 'ok'), 1)
  t.equal(readValue(metrics, 'slipway_rpc_circuits_open', { upstream: '0' }), 0)
  const seconds = readValue(metrics, 'slipway_rpc_request_duration_seconds_sum', { source: 'proxy' })!
  t.ok(seconds > 0 && seconds < (performance.now() - start) / 1_000, `${seconds} s`)
})

t.test('names, types and labels follow the conventions of Prometheus', async (t) => {
  const metrics = await scrape()
  for (const { name, type, help, samples } of metrics.values()) {
    t.match(name, /^slipway_[a-z][a-z0-9_]*[a-z0-9]$/, name)
    t.ok(help.length > 5, `${name} is described`)
    t.match(type, /^(counter|gauge|histogram)$/, `${name} has a type`)
    t.equal(name.endsWith('_total'), type === 'counter', `${name}: counters, and only they, end in _total`)
    if (type === 'histogram') t.match(name, /_(seconds|bytes)$/, `${name} has a unit`)
    t.notMatch(name, /_(ms|milliseconds|minutes|kb|kilobytes|percent)(_|$)/, `${name} is in base units`)
    t.ok(samples.length <= 1_500, `${name} has few series`)
    for (const { labels } of samples) {
      for (const value of Object.values(labels)) {
        t.ok(
          /^[\w.+-]{1,60}$/.test(value) && !/0x[0-9a-f]{8}/i.test(value),
          `${name}: ${value} is no address and no URL`,
        )
      }
    }
  }
})

t.test('while the database is down, only its metrics are omitted', async (t) => {
  const other = await createTestApp()
  t.teardown(() => other.app.close())
  const metrics = parseScrape((await other.app.inject('/metrics')).body)
  t.equal(readValue(metrics, 'slipway_indexer_lag_blocks'), undefined)
  t.type(readValue(metrics, 'slipway_process_uptime_seconds'), 'number')
})

t.test('concurrent scrapes share one rendering, and each is counted', async (t) => {
  let renderings = 0
  const metrics = createMetrics()
  metrics.gauge('probe', 'Counts renderings', () => ++renderings)
  const limited = testConfig({ RATE_LIMITS: 'on', RATE_LIMIT_GLOBAL: '200/60' })
  const { app: other } = await createTestApp({ config: limited, services: { metrics } })
  t.teardown(() => other.close())
  const server = await buildMetricsServer({ metrics, log: services.log })
  t.teardown(() => server.close())
  for (const ask of [(url: string) => other.inject(url), () => server.inject('/metrics')]) {
    renderings = 0
    const urls = Array.from({ length: 200 }, (_, at) => (at % 2 ? '/metrics' : '/api/metrics'))
    const start = performance.now()
    const answers = await Promise.all(urls.map(ask))
    // A rendering is kept for a second.
    const most = 3 + Math.floor((performance.now() - start) / 1_000)
    t.ok(answers.every(({ statusCode }) => statusCode === 200))
    t.ok(renderings >= 1 && renderings <= most, `${renderings} renderings for 200 scrapes`)
  }
  t.equal((await other.inject('/metrics')).statusCode, 429)
  t.equal((await server.inject('/metrics')).statusCode, 200, 'a port of its own has no quota')
})

t.test('two applications in one process have separate metrics', async (t) => {
  const [one, two] = await Promise.all([createTestApp(), createTestApp()])
  t.teardown(() => Promise.all([one.app.close(), two.app.close()]))
  await one.app.inject('/live')
  const counted = async ({ app }: typeof one) =>
    readValue(parseScrape((await app.inject('/metrics')).body), 'slipway_http_requests_total', {
      operation: 'getLiveness',
    })
  t.equal(await counted(one), 1)
  t.equal(await counted(two), undefined)
})

t.test('a metric name against the conventions is rejected on registration', async (t) => {
  const metrics = createMetrics()
  t.throws(() => metrics.counter('things', 'x'), TypeError)
  t.throws(() => metrics.gauge('things_total', 'x', () => 1), TypeError)
  t.throws(() => metrics.histogram('wait_ms', 'x', { buckets: [1] }), TypeError)
})

t.test('label values beyond the limit count as other', async (t) => {
  const metrics = createMetrics()
  for (let at = 0; at < 500; at++) metrics.countLookup(`cache-${at}`, true)
  const samples = parseScrape(await metrics.scrape()).get('slipway_cache_lookups_total')?.samples ?? []
  t.ok(samples.length < 100)
  t.ok(samples.find(({ labels }) => labels.cache === 'other')!.value > 400)
})

t.test('with METRICS_PORT, metrics are served only there', async (t) => {
  const apart = testConfig({ METRICS_PORT: '9464' })
  const { app: main } = await createTestApp({ config: apart })
  const server = await buildMetricsServer(services)
  t.teardown(() => Promise.all([main.close(), server.close()]))
  t.equal((await main.inject('/metrics')).statusCode, 404)
  t.equal((await main.inject('/api/metrics')).statusCode, 404)
  t.equal(readValue(parseScrape((await server.inject('/metrics')).body), 'slipway_indexer_leader'), 1)
  t.equal((await server.inject('/tokens')).statusCode, 404)
})

t.test('an indexer process serves only probes and scrapes', async (t) => {
  const probes = await buildProbes(config, { ...services, metrics: createMetrics() })
  t.teardown(() => probes.close())
  for (const path of ['/live', '/ready', '/metrics']) t.equal((await probes.inject(path)).statusCode, 200, path)
  await until(
    () => probes.inject('/health'),
    ({ statusCode }) => statusCode === 200,
    'healthy',
  )
  t.match((await probes.inject('/tokens')).json(), { success: false, data: null })
})
