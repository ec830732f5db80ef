import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { buildApp } from '../../app.ts'
import { createLogger } from '../../lib/telemetry/create-logger.ts'
import { openServices } from '../../services.ts'
import { startChain } from '../acceptance/support/chain.ts'
import { until } from '../acceptance/support/service.ts'
import { testConfig } from '../support/app.ts'
import { createDatabasePlace } from '../support/database.ts'
import { startCollector } from './support/collector.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const collector = await startCollector(t)
const chain = await startChain(t)
const place = await createDatabasePlace(t)
const config = testConfig({
  ...chain.env,
  POLL_INTERVAL_MS: '20',
  LOG_LEVEL: 'info',
  DATA_DIR: place.dataDir,
  ...(place.databaseUrl && { DATABASE_URL: place.databaseUrl }),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key',
  OTEL_SERVICE_NAME: 'slipway-under-test',
})
let log = ''
const services = await openServices(
  config,
  createLogger(
    config,
    new Writable({
      write: (chunk, _encoding, done) => {
        log += chunk
        done()
      },
    }),
  ),
)
const app = await buildApp(config, services)
await app.listen({ port: 0, host: '127.0.0.1' })
const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
t.teardown(async () => {
  await app.close()
  await services.close()
})

/** Asks under a trace of the caller's, and resolves to what the collector got of it once the request's span is there. */
let traces = 0
async function trace(path: string, init: RequestInit = {}, flags = '01') {
  const traceId = (++traces).toString(16).padStart(32, 'c')
  const parentId = 'd'.repeat(16)
  const headers = { ...init.headers, traceparent: `00-${traceId}-${parentId}-${flags}` }
  const response = await fetch(base + path, { ...init, headers })
  await response.text()
  const spans = () => collector.spans().filter((span) => span.traceId === traceId)
  return { traceId, parentId, response, spans }
}
const SERVER = 2
const CLIENT = 3

t.test('a request is a span, named by its operation, under the span of its caller', async (t) => {
  const { parentId, spans, traceId } = await trace('/api/tokens?token=secret-of-the-query', {
    headers: { 'x-request-id': 'request-1', 'user-agent': 'a test' },
  })
  const found = await until(
    async () => spans(),
    (all) => all.some(({ kind }) => kind === SERVER),
    'the span arrives',
  )
  const request = found.find(({ kind }) => kind === SERVER)!
  t.match(request, { name: 'listTokens', parentSpanId: parentId, service: 'slipway-under-test', failed: false })
  t.match(request.attributes, {
    'http.request.method': 'GET',
    'http.route': '/api/tokens',
    'http.response.status_code': 200,
    'url.path': '/api/tokens',
    'url.scheme': 'http',
    'client.address': '127.0.0.1',
    'user_agent.original': 'a test',
    'slipway.request_id': 'request-1',
  })
  t.notMatch(JSON.stringify(found), /secret-of-the-query/)
  const queries = found.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql')
  t.ok(queries.length >= 1, 'with its queries')
  for (const query of queries) {
    t.equal(query.parentSpanId, request.spanId)
    t.equal(query.kind, CLIENT)
    t.equal(query.name, 'select')
    t.ok(query.seconds >= 0 && query.seconds <= request.seconds + 0.01)
  }
  const lines = log.split('\n').filter((line) => line.includes('"reqId":"request-1"'))
  t.equal(JSON.parse(lines[0]!).traceId, traceId, 'the log names the trace')
})

t.test('spans omit parameters of queries', async (t) => {
  const address = `0x${'7'.repeat(40)}`
  const { spans } = await trace(`/tokens/${address}/holders`)
  const found = await until(
    async () => spans(),
    (all) => all.some(({ kind }) => kind === SERVER),
    'the span arrives',
  )
  const queries = found.filter(({ attributes }) => attributes['db.query.text'])
  t.ok(queries.length >= 1)
  for (const { attributes } of queries) t.match(attributes['db.query.text'], /\$1/)
  t.notOk(queries.some(({ attributes }) => String(attributes['db.query.text']).includes(address)))
  t.equal(found.find(({ kind }) => kind === SERVER)?.failed, false, 'a 404 is no failure of ours')
})

t.test('requests to the node are child spans of a request with a body', async (t) => {
  const { spans, response } = await trace('/buy', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${app.issueToken(`0x${'ab'.repeat(20)}`)}` },
    body: JSON.stringify({ txHash: `0x${'1'.repeat(64)}` }),
  })
  t.equal(response.status, 404)
  const found = await until(
    async () => spans(),
    (all) => all.some(({ kind }) => kind === SERVER),
    'the span arrives',
  )
  const request = found.find(({ kind }) => kind === SERVER)
  const calls = found.filter(({ attributes }) => attributes['rpc.system'] === 'jsonrpc')
  t.ok(calls.some(({ name }) => name === 'eth_getTransactionReceipt'))
  for (const call of calls) t.equal(call.parentSpanId, request?.spanId)
})

t.test('steps of the indexer are traces with spans of their fetches and writes', async (t) => {
  await chain.rpc('anvil_mine', '0x3')
  const isStep = ({ name }: { name: string }) => name === 'indexer follow' || name === 'indexer backfill'
  const found = await until(
    async () => collector.spans(),
    (all) => all.some(isStep),
    'a step arrives',
  )
  const step = found.find(isStep)!
  t.equal(step.parentSpanId, undefined)
  const inside = found.filter(({ parentSpanId }) => parentSpanId === step.spanId)
  t.ok(
    inside.some(({ attributes }) => attributes['rpc.system'] === 'jsonrpc'),
    'requests to the node',
  )
  t.ok(
    inside.some(({ attributes }) => attributes['db.system.name']),
    'queries',
  )
})

t.test('an unsampled parent is not traced, and an invalid traceparent starts a new trace', async (t) => {
  const silent = await trace('/live', {}, '00')
  await fetch(`${base}/config`, { headers: { traceparent: '00-zz-zz-01' } })
  const isConfig = ({ name }: { name: string }) => name === 'getConfig'
  const found = await until(
    async () => collector.spans(),
    (all) => all.some(isConfig),
    'the later one arrives',
  )
  t.same(silent.spans(), [])
  t.equal(found.find(isConfig)?.parentSpanId, undefined)
})

t.test('the collector receives the configured header', async (t) => {
  t.equal(collector.received[0]?.headers['x-collector-key'], 'a key')
})

t.test('without a collector no tracing package is loaded', async (t) => {
  // The library of metrics asks for the types' package of its own accord.
  const script = `
    import { registerHooks } from 'node:module'
    const seen = []
    registerHooks({ resolve: (name, context, next) => (name.startsWith('@opentelemetry') && !context.parentURL.includes('/prom-client/') && seen.push(name), next(name, context)) })
    await import('./services.ts')
    await import('./app.ts')
    console.log(JSON.stringify(seen))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT })
  t.equal(stdout.trim(), '[]')
})
