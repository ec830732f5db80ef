import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from 'redis'
import t from 'tap'
import { loadConfig } from '../../config/config.ts'
import { environment } from '../../config/environment.ts'
import { findMisspelled } from '../../config/misspelled.ts'
import { openRedisCache } from '../../lib/cache/cache-redis.ts'
import { describeFolderError } from '../../lib/storage/folder-problem.ts'
import { checkNodes } from '../../preflight/check-node.ts'
import { checkRedis, checkStorage } from '../../preflight/check-stores.ts'
import { describe, type Finding } from '../../preflight/finding.ts'
import { runPreflight } from '../../preflight/run-preflight.ts'
import { startChain } from '../support/chain-fixture.ts'
import { failure, on, type Rule, result, startHostileNode } from '../support/hostile/node.ts'
import { startRedis } from '../support/servers/redis.ts'
import { singleRedis } from '../support/servers/redis-place.ts'

const { anvil, config, node } = await startChain(t)
const hostile = await startHostileNode(t, anvil.url)
t.afterEach(() => hostile.follow())
/** A clock that is so many seconds past the newest block. */
async function clockAt(seconds: number): Promise<() => number> {
  const { timestamp } = await node.call<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  return () => (Number(timestamp) + seconds) * 1_000
}

/** The lines that are no pass, of checks of the node behind these rules. */
async function check(rules: readonly Rule[], changes: object, clock: () => number): Promise<string[]> {
  hostile.follow(...rules)
  return listProblems(await checkNodes({ ...config, ...changes, rpcUrls: [hostile.url] }, clock))
}

const listProblems = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== 'ok').map(describe)

/** Rejects ranges of more blocks. */
const cap = (blocks: number): Rule =>
  on('eth_getLogs', ({ params: [filter] }) => {
    const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
    return Number(toBlock) - Number(fromBlock) >= blocks ? failure(-32_602, 'range too large') : undefined
  })

t.test('a node without a problem has no warning', async (t) => {
  t.same(await check([], {}, await clockAt(0)), [])
})

t.test('a block range limit, missing blooms, pruned state, and a syncing node are reported', async (t) => {
  await node.call('anvil_mine', '0x100')
  const clock = await clockAt(0)
  t.match(await check([cap(100)], {}, clock), [
    /^WARN {2}RPC_URL: node 1 answers eth_getLogs over 100 blocks at most\. The/,
  ])
  t.match(await check([on('eth_getLogs', () => failure(-32_601, 'no such method'))], {}, clock), [
    /^FAIL {2}RPC_URL: node 1 does not answer eth_getLogs\. Use a node that does/,
    /^WARN {2}RPC_URL: node 1 failed a request/,
  ])
  t.match(await check([on('eth_syncing', () => result({ currentBlock: '0x1', highestBlock: '0x9' }))], {}, clock), [
    /^WARN {2}RPC_URL: node 1 is still syncing/,
  ])
  const pruned = (blocks: number): Rule =>
    on('eth_getBalance', async ({ params: [, block] }) =>
      Number(block) < (await node.height()) - blocks ? failure(-32_000, 'missing trie node') : undefined,
    )
  t.match(await check([pruned(100)], {}, clock), [
    /^WARN {2}RPC_URL: node 1 has no state of block \d+, only recent state\./,
  ])
  t.match(await check([pruned(10)], {}, clock), [
    /^FAIL {2}RPC_URL: node 1 has no state of block \d+, 64 below its head\./,
  ])
})

t.test('empty blooms are reported while proofs are on', async (t) => {
  const clock = await clockAt(0)
  const head = await node.height()
  const log = {
    ...{ address: `0x${'ab'.repeat(20)}`, topics: [], data: '0x', blockNumber: `0x${head.toString(16)}` },
    ...{ transactionHash: `0x${'cd'.repeat(32)}`, transactionIndex: '0x0', logIndex: '0x0', removed: false },
    blockHash: (await node.call<{ hash: string }>('eth_getBlockByNumber', 'latest', false)).hash,
  }
  const logs = on('eth_getLogs', () => result([log]))
  t.match(await check([logs], {}, clock), [
    /^WARN {2}NODE_PROOFS: the blocks of node 1 have no valid log blooms\. Logs near/,
  ])
  t.same(await check([logs], { nodeProofs: false }, clock), [])
})

t.test('a wrong clock and an old head give different warnings', async (t) => {
  t.match(await check([], {}, await clockAt(-60)), [
    /^FAIL {2}MAX_BLOCK_AGE: the newest block of node 1 is 60 s ahead of this machine/,
  ])
  t.match(await check([], { maxBlockAge: 30 }, await clockAt(90)), [
    /^FAIL {2}MAX_BLOCK_AGE: block \d+, the newest of node 1, is 90 s old; the limit is 30/,
  ])
  t.same(await check([], { maxBlockAge: 120 }, await clockAt(90)), [])
})

t.test('a Redis that may evict nonces is reported', async (t) => {
  const redis = await startRedis(t)
  if (!redis) return t.pass('redis-server is not installed')
  const client = createClient({ url: redis.url })
  await client.connect()
  t.teardown(() => client.destroy())
  const problems = async () => listProblems(await checkRedis({ redis: singleRedis(redis.url), role: 'all' }))
  t.match(await problems(), [
    /^WARN {2}REDIS_URL: maxmemory is not set\. Set maxmemory, and maxmemory-policy volatile-lru\.$/,
  ])
  await client.configSet('maxmemory', '64mb')
  await client.configSet('maxmemory-policy', 'allkeys-lru')
  t.match(await problems(), [/^WARN {2}REDIS_URL: maxmemory-policy is allkeys-lru: a full Redis .* drops nonces\. Set/])
  await client.configSet('maxmemory-policy', 'volatile-lru')
  t.same(await problems(), [])
})

t.test(
  'a Redis replica, a Cluster node and a Sentinel fail preflight and the start with the same message',
  async (t) => {
    const [replica, cluster, sentinel] = await Promise.all([
      startRedis(t),
      startRedis(t, 'cluster'),
      startRedis(t, 'sentinel'),
    ])
    if (!replica || !cluster || !sentinel) return t.pass('redis-server is not installed')
    const client = createClient({ url: replica.url })
    await client.connect()
    t.teardown(() => client.destroy())
    await client.replicaOf('127.0.0.1', 1)
    for (const [{ url }, line] of [
      [replica, /is a replica, which rejects writes\. Name the primary itself: a single Redis that accepts writes\.$/],
      [
        cluster,
        /REDIS_MODE: it is single, but REDIS_URL names a node of a Redis Cluster\. Set REDIS_MODE=cluster; or let REDIS_URL /,
      ],
      [
        sentinel,
        /REDIS_MODE: it is single, but REDIS_URL names a Sentinel, .*\. Set REDIS_MODE=sentinel, and REDIS_SENTINEL_NAME to /,
      ],
    ] as const) {
      const [problem, ...others] = listProblems(await checkRedis({ redis: singleRedis(url), role: 'all' }))
      t.match(problem, line)
      t.same(others, [])
      await t.rejects(openRedisCache(singleRedis(url), { namespace: 'test' }), { name: 'SetupError', message: line })
    }
  },
)

t.test('a Redis that rejects writes is a failure', async (t) => {
  const redis = await startRedis(t)
  if (!redis) return t.pass('redis-server is not installed')
  const client = createClient({ url: redis.url })
  await client.connect()
  t.teardown(() => client.destroy())
  await client.configSet('maxmemory', '1')
  t.match(listProblems(await checkRedis({ redis: singleRedis(redis.url), role: 'all' })), [
    /^FAIL {2}REDIS_URL: .* OOM /,
  ])
})

t.test('a folder below /proc, which Node never finishes creating, and a full disk are reported in time', async (t) => {
  const settings = { s3: null, role: 'all' as const, databaseUrl: null, rpcUrls: [] }
  t.match(listProblems(await checkStorage({ ...settings, dataDir: '/proc/slipway/data' })), [
    /^FAIL {2}DATA_DIR: \/proc\/slipway\/data is not writable: ENOENT/,
  ])
  const file = join(t.testdir({ file: '' }), 'file')
  t.match(listProblems(await checkStorage({ ...settings, dataDir: join(file, 'data') })), [
    /^FAIL {2}DATA_DIR: .*\/file\/data is not writable: ENOTDIR/,
  ])
  t.same(describeFolderError(Object.assign(new Error('full'), { code: 'ENOSPC' }), '/data'), {
    variable: 'DATA_DIR',
    problem: 'the disk of /data is full',
    remedy: 'Free some space there, or set DATA_DIR to another disk',
  })
  t.same(
    listProblems(
      await checkStorage({
        ...settings,
        databaseUrl: 'postgres://h/d',
        rpcUrls: ['http://n'],
        role: 'indexer',
        dataDir: '/proc/x',
      }),
    ),
    [],
    'nothing is stored there',
  )
})

t.test('an embedded database or chain that another process uses is reported', async (t) => {
  const dataDir = t.testdir()
  const settings = { dataDir, s3: null, role: 'all' as const, databaseUrl: null, rpcUrls: [] }
  // The parent of this process runs as long as the test.
  for (const name of ['database', 'chain']) await writeFile(join(dataDir, `${name}.lock`), String(process.ppid))
  const problemOf = (name: string) =>
    `FAIL  DATA_DIR: the ${name} in ${dataDir} is in use by process ${process.ppid}. Stop that one first, or set DATA_DIR to another folder.`
  const check = async (changes: object) => listProblems(await checkStorage({ ...settings, ...changes }))
  t.same(await check({}), [problemOf('database'), problemOf('chain')])
  t.same(await check({ databaseUrl: 'postgres://h/d' }), [problemOf('chain')])
  await writeFile(join(dataDir, 'chain.lock'), String(2 ** 30))
  t.same(await check({ databaseUrl: 'postgres://h/d' }), [], 'a process that does not run')
})

t.test('mistyped variables are reported, those of other programs are not', async (t) => {
  const known = Object.keys(environment)
  const nearest = (name: string) => findMisspelled({ [name]: 'x' }, known)[0]?.nearest
  for (const [name, meant] of [
    ['DATABASE_REPLICA_URL', 'DATABASE_READ_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['RPC_URLS', 'RPC_URL'],
    ['database_url', 'DATABASE_URL'],
    ['S3_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
    ['METRIC_PORT', 'METRICS_PORT'],
    ['JWT_KEY', 'JWT_KEYS'],
    ['RATE_LIMITS_GLOBAL', 'RATE_LIMIT_GLOBAL'],
  ] as const)
    t.equal(nearest(name), meant, name)
  // The least number of edits: a letter replaced, added or left out, or two neighbours swapped.
  for (const [name, candidate, isNear] of [
    ['ABCDEF', 'ABCDEF', true],
    ['ABXDEF', 'ABCDEF', true],
    ['ABCDEFG', 'ABCDEF', true],
    ['BCDEF', 'ABCDEF', true],
    ['BACDEF', 'ABCDEF', true],
    ['ABCDFE', 'ABCDEF', true],
    ['ABDCXF', 'ABCDEF', false],
    ['ACDBEF', 'ABCDEF', false],
    ['ABXXEF', 'ABCDEF', false],
    ['BADCEFGH', 'ABCDEFGH', true],
    ['BADCFEGH', 'ABCDEFGH', false],
    ['AXCXEFGH', 'ABCDEFGH', true],
    ['CBADEFGH', 'ABCDEFGH', true],
    ['ABCDEFGHIJ', 'ABCDEFGH', true],
    ['ABCDEFGHIJK', 'ABCDEFGH', false],
    ['ABCD', 'ABCDE', false],
  ] as const)
    t.equal(
      findMisspelled({ [name]: 'x' }, [`${candidate}`, 'OTHER']).length,
      isNear && name !== candidate ? 1 : 0,
      name,
    )
  const others =
    'PATH PWD OLDPWD HOME USER SHELL SHLVL LANG LC_ALL TERM TZ HOSTNAME HOSTTYPE LOGNAME EDITOR MAIL DISPLAY SSH_AUTH_SOCK CI ' +
    'NODE_OPTIONS NODE_PATH NODE_VERSION NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE NODE_NO_WARNINGS YARN_VERSION npm_config_cache ' +
    'npm_package_name npm_lifecycle_event INIT_CWD KUBERNETES_SERVICE_HOST KUBERNETES_PORT KUBERNETES_PORT_443_TCP_ADDR ' +
    'REDIS_PORT REDIS_SERVICE_HOST REDIS_SERVICE_PORT REDIS_PORT_6379_TCP REDIS_PORT_6379_TCP_PROTO API_SERVICE_HOST API_PORT ' +
    'POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE DATABASE_PASSWORD DATABASE_HOST ' +
    'AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy GITHUB_TOKEN ' +
    'OTEL_RESOURCE_ATTRIBUTES OTEL_TRACES_SAMPLER OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TRACES_ENDPOINT DEPLOYER_KEY ' +
    'ETHERSCAN_API_KEY ETHERSCAN_API_URL TEST_DATABASE_URL TEST_REDIS_URL INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID DYNO ' +
    'COMPOSE_PROJECT_NAME container'
  for (const name of others.split(' ')) t.equal(nearest(name), undefined, name)
  t.same(findMisspelled({ RPC_URL_2: 'x', RPC_URL: 'y' }, known), [], 'the near one is set')
  t.match(await runPreflight({ RPC_URLS: 'http://n', ROLE: 'api' }), [
    { name: 'DATABASE_URL' },
    { name: 'RPC_URL' },
    { level: 'warn', name: 'RPC_URLS', remedy: 'Correct it if RPC_URL is meant, else ignore this' },
  ])
  t.throws(() => loadConfig({ RPC_URLS: 'http://n', ROLE: 'api' }), {
    message: /RPC_URLS is not a variable of the service; it has RPC_URL/,
  })
})
