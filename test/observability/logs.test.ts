import { execFile } from 'node:child_process'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { Chain } from '../../chain/rpc/client.ts'
import { openDatabase } from '../../db/client.ts'
import { createLogger } from '../../lib/telemetry/create-logger.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { hangUp, startThirdParty } from '../support/third-party.ts'

const PATH_KEY = 'v3/0f1e2d3c4b5a69788796a5b4c3d2e1f0'
const QUERY_KEY = 'provider-key-of-the-query'
const DATABASE_PASSWORD = 'p4ss-w0rd/of the database'
const REDIS_PASSWORD = 'the-password-of-redis'
const JWT_SECRET = 'a-signing-secret-that-is-long-enough-0123456789'
const S3_SECRET = 'the-secret-of-the-bucket'
const COLLECTOR_KEY = 'the-key-of-the-collector'

const node = await startThirdParty(t, hangUp)
const settings = {
  LOG_LEVEL: 'trace',
  LOG_FORMAT: 'json',
  RPC_URL: `${node.url}/${PATH_KEY}?apikey=${QUERY_KEY}`,
  CHAIN_ID: '31337',
  DATABASE_URL: `postgres://slipway:${encodeURIComponent(DATABASE_PASSWORD)}@127.0.0.1:1/slipway`,
  REDIS_URL: `redis://:${REDIS_PASSWORD}@127.0.0.1:1`,
  JWT_KEYS: `one:${JWT_SECRET}`,
  S3_BUCKET: 'bucket',
  S3_ACCESS_KEY_ID: 'key-id',
  S3_SECRET_ACCESS_KEY: S3_SECRET,
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${COLLECTOR_KEY}`,
}
const config = testConfig(settings)
const secrets = [PATH_KEY, PATH_KEY.slice(3), QUERY_KEY, DATABASE_PASSWORD, encodeURIComponent(DATABASE_PASSWORD)]
secrets.push(REDIS_PASSWORD, JWT_SECRET, S3_SECRET, COLLECTOR_KEY)

let text = ''
const log = createLogger(
  config,
  new Writable({
    write: (chunk, _encoding, done) => {
      text += chunk
      done()
    },
  }),
)
const { db } = await createTestDatabase(t)
const { app } = await createTestApp({ config, services: { db, log, chain: new Chain(config.rpcUrls, { retries: 0 }) } })
t.teardown(() => app.close())
const lines = () =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const shown = () => secrets.filter((secret) => text.includes(secret))

t.test('a request is one line with its operation, outcome and wallet', async (t) => {
  text = ''
  await app.inject({ url: '/tokens?limit=3', headers: { 'x-request-id': 'given-by-the-client' } })
  const [line, ...more] = lines().filter(({ reqId }) => reqId === 'given-by-the-client')
  t.same(more, [])
  t.match(line, {
    operation: 'listTokens',
    method: 'GET',
    route: '/tokens',
    path: '/tokens',
    status: 200,
    msg: 'Answered',
  })
  t.type(line.durationMs, 'number')
})

t.test('logs contain neither signatures nor tokens', async (t) => {
  text = ''
  const account = privateKeyToAccount(`0x${'5e'.repeat(32)}`)
  const nonce = await app.inject({ method: 'POST', url: '/auth/nonce', payload: { wallet: account.address } })
  const { message } = nonce.json().data
  const signature = await account.signMessage({ message })
  const login = await app.inject({
    method: 'POST',
    url: '/auth/login',
    payload: { wallet: account.address, message, signature },
  })
  t.equal(login.statusCode, 200)
  const { token } = login.json().data
  const wallet = account.address.toLowerCase()
  const me = await app.inject({
    url: '/auth/me',
    headers: { authorization: `Bearer ${token}`, cookie: `session=${token}` },
  })
  t.equal(me.statusCode, 200)
  await app.inject(`/tokens?token=${token}&access_token=short-one`)
  app.log.warn(
    { headers: { authorization: `Bearer ${token}` }, url: `wss://x.example/ws?token=${token}` },
    `saw ${token}`,
  )
  t.notOk(text.includes(token), 'no token')
  t.notOk(text.includes(token.split('.')[2]), 'nor its signature')
  t.notOk(text.includes(signature), 'no signature')
  t.notOk(text.includes('short-one'), 'nothing of a query string')
  t.ok(
    lines().some((line) => line.path === '/auth/me' && line.wallet === wallet),
    'the line of the request names the wallet',
  )
  t.same(shown(), [])
})

t.test('logs of a failing node omit the key in its URL', async (t) => {
  text = ''
  const sync = await app.inject({
    method: 'POST',
    url: '/buy',
    headers: { authorization: `Bearer ${app.issueToken(`0x${'ab'.repeat(20)}`)}` },
    payload: { txHash: `0x${'1'.repeat(64)}` },
  })
  t.equal(sync.statusCode, 503)
  t.equal((await app.inject('/health')).statusCode, 503)
  t.ok(
    node.received.some(({ path }) => path.includes(PATH_KEY)),
    'the node was asked under its key',
  )
  t.match(text, /HTTP request failed|fetch failed|socket hang up/i, 'the failure is logged')
  t.same(shown(), [])
})

t.test('logs of an unreachable database omit its password', async (t) => {
  text = ''
  const error = await openDatabase(config).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  t.ok(error instanceof Error)
  log.error({ err: error, url: config.databaseUrl, redis: config.redis }, `could not open ${config.databaseUrl}`)
  log.error({ jwt: config.jwt, s3: config.s3, tracing: config.tracing })
  t.ok(text.length > 0)
  t.same(shown(), [])
})

t.test('secrets in any URL are removed from logs', async (t) => {
  text = ''
  log.info('postgres://somebody:hunter2@db.example/x and https://api.example/x?api_key=abcdef&limit=3')
  t.notMatch(text, /hunter2|abcdef/)
  t.match(text, /db\.example.+limit=3/)
})

t.test('probes and scrapes are logged at debug level', async (t) => {
  text = ''
  await app.inject('/live')
  await app.inject('/metrics')
  t.same(
    lines().filter(({ level }) => level >= 30),
    [],
  )
})

t.test('the standard output of a process contains no secrets of URLs', async (t) => {
  const script = `
    const { loadConfig } = await import('./config/config.ts')
    const { createLogger } = await import('./lib/telemetry/create-logger.ts')
    const log = createLogger(loadConfig(process.env))
    log.info({ url: process.env.RPC_URL }, 'first')
    log.info({ url: process.env.REDIS_URL }, 'second')`
  const env = { PATH: process.env.PATH, ...settings }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
  const written = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(written, [
    { msg: 'first', url: /\[hidden\]/ },
    { msg: 'second', url: /\[hidden\]/ },
  ])
  t.same(
    secrets.filter((secret) => stdout.includes(secret)),
    [],
  )
})
