import t from 'tap'
import { ConfigError, loadConfig } from '../config/config.ts'
import { splitHosts } from '../config/database-hosts.ts'
import { listSecrets } from '../config/list-secrets.ts'

const SECRET = 'a-secret-of-production-that-is-long-enough'
const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://launch.example/',
  DATABASE_URL: 'postgres://slipway:hidden@db/slipway',
  RPC_URL: 'https://node-a.example, https://node-b.example/key/',
  CHAIN_ID: '8453',
  JWT_KEYS: `new:${SECRET},old:${SECRET}-older`,
  DEPLOYMENTS: '[{"kind":"launchpad","address":"0xABCDEF0000000000000000000000000000000001","startBlock":7}]',
}

const problemsOf = (env: Record<string, string | undefined>): readonly string[] => {
  try {
    loadConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

t.test('of secrets that contain each other, the longest is removed first', async (t) => {
  const [short, long] = ['key-of-a-node', 'key-of-a-node-and-more']
  for (const others of [
    [short, long],
    [long, short],
  ])
    t.strictSame(listSecrets({ urls: [], rpcUrls: [], others }), [long, short])
})

t.test('an empty environment configures the embedded services', async (t) => {
  const config = loadConfig({})
  t.match(config, {
    production: false,
    port: 3000,
    host: '127.0.0.1',
    role: 'all',
    databaseUrl: null,
    redis: null,
    rpcUrls: [],
    chainId: 31337,
    market: true,
    rateLimits: true,
    finality: { unit: 'blocks', amount: 12 },
    maxLoopDelayMs: 0,
    publicUrl: 'http://localhost:3000',
    siweDomain: 'localhost:3000',
    logFormat: 'pretty',
  })
  // A text matches one that contains it.
  t.equal(config.dataDir, './data')
})

t.test('a production environment sets every value', async (t) => {
  const config = loadConfig({ ...production, ADMIN_WALLETS: '0xAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' })
  t.match(config, {
    production: true,
    rpcUrls: ['https://node-a.example', 'https://node-b.example/key'],
    chainId: 8453,
    market: false,
    maxLoopDelayMs: 1_000,
    publicUrl: 'https://launch.example',
    siweDomain: 'launch.example',
    logFormat: 'json',
    jwt: { issuer: 'https://launch.example', audience: 'https://launch.example', lifetimeSeconds: 86_400 },
  })
  t.same(config.jwt.keys[0], { kid: 'new', secret: SECRET })
  t.same(config.deployments, [
    { kind: 'launchpad', address: '0xabcdef0000000000000000000000000000000001', startBlock: 7 },
  ])
  t.same(config.adminWallets, ['0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'])
})

t.test('an empty variable counts as unset', async (t) => {
  t.same(loadConfig({ PORT: '', REDIS_URL: ' ' }), loadConfig({}))
})

t.test('the configuration is immutable', async (t) => {
  const config = loadConfig(production)
  t.throws(() => Object.assign(config, { port: 1 }), TypeError)
  t.throws(() => Object.assign(config.jwt, { issuer: '' }), TypeError)
  t.throws(() => (config.deployments as unknown[]).push({}), TypeError)
})

t.test('one message lists every problem: the variable, its value and the expected value', async (t) => {
  const problems = problemsOf({ PORT: '99999', ROLE: 'zebra', ADMIN_WALLETS: '0x12', DEPLOYMENTS: '[{"kind":"x"}]' })
  t.equal(problems.length, 6)
  t.equal(problems[0], 'PORT is "99999"; expected an integer from 0 to 65535')
  t.equal(problems[1], 'ROLE is "zebra"; expected one of all, api, indexer')
  t.throws(() => loadConfig({ PORT: 'x', ROLE: 'y' }), /PORT is [^\n]+\n {2}- ROLE is /)
})

t.test('PUBLIC_URL has no credentials, query and fragment, and errors show no password', async (t) => {
  for (const PUBLIC_URL of ['https://u:hunter2@host/', 'https://host/?a=1', 'https://host/#a']) {
    const problems = problemsOf({ PUBLIC_URL })
    t.match(problems, [
      /^PUBLIC_URL is ".+"; expected a URL \(http or https\) without user, password, query and fragment$/,
    ])
    t.notMatch(problems.join(), /hunter2/)
  }
  t.equal(loadConfig({ PUBLIC_URL: 'http://host/launch/' }).publicUrl, 'http://host/launch')
})

t.test('numbers are parsed strictly', async (t) => {
  for (const PORT of ['3000.5', '-1', '1e400', '0x', 'abc', 'NaN']) t.equal(problemsOf({ PORT }).length, 1, PORT)
})

t.test('errors never contain the value of a secret', async (t) => {
  const problems = problemsOf({
    JWT_KEYS: 'kid:tooshortsecret',
    DATABASE_URL: 'mysql://user:hunter2@db',
    DATABASE_DIRECT_URL: 'mysql://user:hunter2@db',
    DATABASE_READ_URL: 'mysql://user:hunter2@db',
    REDIS_URL: 'http://:hunter2@redis',
    RPC_URL: 'ftp://key-hunter2',
    CHAIN_ID: '1',
  })
  t.equal(problems.length, 6)
  t.notMatch(problems.join(), /hunter2|tooshort/)
})

t.test('passwords in URLs of databases are secrets', async (t) => {
  const { secrets } = loadConfig({
    ...production,
    DATABASE_URL: 'postgres://slipway:primary-password@db/slipway',
    DATABASE_DIRECT_URL: 'postgres://slipway:direct%20password@db/slipway',
    DATABASE_READ_URL: 'postgres://slipway:replica-password@db/slipway',
    REDIS_URL: 'redis://:redis-password@cache',
  })
  for (const password of [
    ...['primary-password', 'direct password', 'direct%20password', 'replica-password', 'redis-password'],
    SECRET,
  ])
    t.ok(secrets.includes(password), password)
})

t.test('JWT keys need distinct names and long secrets', async (t) => {
  for (const JWT_KEYS of ['nokid', `:${SECRET}`, `a:${SECRET},a:${SECRET}`, `a b:${SECRET}`, `a:${'x'.repeat(31)}`]) {
    t.equal(problemsOf({ JWT_KEYS }).length, 1, JWT_KEYS)
  }
})

t.test('inconsistent variables are rejected', async (t) => {
  t.match(problemsOf({ RPC_URL: 'http://node' }), [/^CHAIN_ID is not set; expected /])
  t.match(problemsOf({ CHAIN_ID: '1' }), [/^CHAIN_ID conflicts /])
  t.match(problemsOf({ RPC_URL: 'http://node', CHAIN_ID: '1', MARKET: 'on' }), [/^MARKET conflicts /])
  t.match(problemsOf({ ROLE: 'api' }), [/^DATABASE_URL is not set; /, /^RPC_URL is not set; /])
})

t.test('without proofs no request proves blocks', async (t) => {
  t.match(loadConfig({ PROOF_REQUESTS_PER_SECOND: '7' }), { nodeProofs: true, proofRequestsPerSecond: 7 })
  const without = loadConfig({ PROOF_REQUESTS_PER_SECOND: '7', NODE_PROOFS: 'off' })
  t.match(without, { nodeProofs: false, proofRequestsPerSecond: 0 })
})

t.test('finality is a number of blocks, seconds or a block tag', async (t) => {
  const finalityOf = (env: Record<string, string>) => loadConfig(env).finality
  t.same(finalityOf({}), { unit: 'blocks', amount: 12 })
  t.same(finalityOf({ FINALITY: '0' }), { unit: 'blocks', amount: 0 })
  t.same(finalityOf({ FINALITY: '90s' }), { unit: 'seconds', amount: 90 })
  t.same(finalityOf({ FINALITY: 'finalized' }), { unit: 'finalized', amount: null })
  t.same(finalityOf({ FINALITY_DEPTH: '3' }), { unit: 'blocks', amount: 3 }, 'its older name')
  t.same(finalityOf({ FINALITY: '', FINALITY_DEPTH: '3' }), { unit: 'blocks', amount: 3 })
  for (const FINALITY of ['-1', '1.5', '10001', '0s', '604801s', '5m', 'safe', 'Finalized'])
    t.match(problemsOf({ FINALITY }), [/^FINALITY is ".*"; expected blocks from 0/], FINALITY)
  t.match(problemsOf({ FINALITY: '12', FINALITY_DEPTH: '12' }), [
    /^FINALITY_DEPTH conflicts with other settings; expected no/,
  ])
})

t.test('production rejects development settings', async (t) => {
  t.same(problemsOf(production), [])
  const names = problemsOf({ NODE_ENV: 'production' }).map((problem) => problem.split(' ')[0])
  t.same(names, ['JWT_KEYS', 'PUBLIC_URL', 'DATABASE_URL', 'RPC_URL', 'DEPLOYMENTS'])
  const [development] = loadConfig({}).jwt.keys
  t.match(problemsOf({ ...production, JWT_KEYS: `mine:${development?.secret}` }), [/^JWT_KEYS conflicts /])
  t.match(
    problemsOf({ ...production, JWT_KEYS: '' }),
    [/^JWT_KEYS is not set; /],
    'Compose passes unset variables as empty ones',
  )
  t.match(
    problemsOf({ PUBLIC_URL: 'https://launch.example' }),
    [/^JWT_KEYS is not set; expected your own secrets/],
    'whatever NODE_ENV is',
  )
  t.same(problemsOf({ PUBLIC_URL: 'https://launch.example', JWT_KEYS: `mine:${SECRET}` }), [])
  t.match(problemsOf({ ...production, ROLE: 'api' }), [/^REDIS_URL is not set; /])
  t.same(problemsOf({ ...production, RATE_LIMITS: 'off' }), [
    'RATE_LIMITS conflicts with other settings; expected on in production; to allow more requests, raise RATE_LIMIT_GLOBAL and the other quotas',
  ])
})

t.test('the chain’s coin and explorer come from its id, or from variables', async (t) => {
  t.match(loadConfig({}), {
    chainId: 31337,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18, wrappedName: 'Wrapped Ether', wrappedSymbol: 'WETH' },
    explorerUrl: null,
  })
  const on = (CHAIN_ID: string, env = {}) => loadConfig({ ...production, CHAIN_ID, ...env })
  t.match(on('8453'), { chainName: 'Base', nativeCurrency: { symbol: 'ETH' }, explorerUrl: 'https://basescan.org' })
  t.match(on('56'), { nativeCurrency: { symbol: 'BNB', wrappedSymbol: 'WBNB' }, explorerUrl: 'https://bscscan.com' })
  t.match(on('143').nativeCurrency, { name: 'Monad', symbol: 'MON' })
  const given = { NATIVE_CURRENCY: 'TEST:Test Coin', EXPLORER_URL: 'https://explorer.example/' }
  t.match(on('4000000001', given), {
    chainName: 'Chain 4000000001',
    nativeCurrency: { name: 'Test Coin', symbol: 'TEST', wrappedName: 'Wrapped Test Coin', wrappedSymbol: 'WTEST' },
    explorerUrl: 'https://explorer.example',
  })
  t.match(on('8453', { NATIVE_CURRENCY: 'XYZ' }).nativeCurrency, { name: 'XYZ', symbol: 'XYZ' })
  t.match(problemsOf({ ...production, CHAIN_ID: '4000000001' }), [
    /^NATIVE_CURRENCY is not set; expected the coin of chain /,
  ])
  for (const NATIVE_CURRENCY of [':Name', 'a b', 'TOO-LONG-A-SYMBOL-FOR-THIS', 'A:b:c', 'A:\u0007'])
    t.match(problemsOf({ NATIVE_CURRENCY }), [/^NATIVE_CURRENCY is /], NATIVE_CURRENCY)
})

t.test('a trusted proxy is an address or a network', async (t) => {
  t.same(loadConfig({ TRUST_PROXY: '10.0.0.0/8, ::1,fd00::/8' }).trustProxy, ['10.0.0.0/8', '::1', 'fd00::/8'])
  for (const TRUST_PROXY of ['abc', 'true', '1', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0/8', '10.0.0.0/8/8'])
    t.match(problemsOf({ TRUST_PROXY }), [/^TRUST_PROXY is /], TRUST_PROXY)
})

t.test('the market data provider is the public one or the configured one', async (t) => {
  t.same(loadConfig({}).externalMarkets, {
    url: 'https://api.geckoterminal.com/api/v2',
    network: null,
    key: null,
    timeoutMs: 5_000,
    freshSeconds: 30,
    staleSeconds: 600,
  })
  const given = {
    MARKET_DATA_URL: 'https://pro.example/api/v3/onchain/',
    MARKET_DATA_KEY: 'CG-1',
    MARKET_DATA_NETWORK: 'base',
  }
  t.match(loadConfig(given).externalMarkets, {
    url: 'https://pro.example/api/v3/onchain',
    key: 'CG-1',
    network: 'base',
  })
  t.match(problemsOf({ MARKET_DATA_NETWORK: '../admin' }), [/^MARKET_DATA_NETWORK is "..\/admin"; /])
  t.match(problemsOf({ MARKET_DATA_KEY: 'a b' }), [/^MARKET_DATA_KEY is invalid \(value not shown\); /])
  t.match(loadConfig({}).rpcProxy, { timeoutMs: 10_000, logRange: 10_000, gasCap: 50_000_000n, overrides: false })
})

t.test('a quota is a number of requests per number of seconds', async (t) => {
  t.same(loadConfig({}).quotas.address, { limit: 3000, windowSeconds: 60 })
  t.same(loadConfig({ RATE_LIMIT_GLOBAL: '50/5' }).quotas.address, { limit: 500, windowSeconds: 5 })
  t.same(loadConfig({ RATE_LIMIT_ADDRESS: '7/5' }).quotas.address, { limit: 7, windowSeconds: 5 })
  t.same(loadConfig({}).quotas.ambassador, { limit: 3, windowSeconds: 3600 })
  t.same(loadConfig({ RATE_LIMIT_READ_HEAVY: '7/5' }).quotas['read-heavy'], { limit: 7, windowSeconds: 5 })
  for (const RATE_LIMIT_AUTH of ['10', '0/60', '10/0', '-1/60', '1.5/60', '10/60/60', 'many/60']) {
    t.match(
      problemsOf({ RATE_LIMIT_AUTH }),
      [/^RATE_LIMIT_AUTH is "[^"]+"; expected requests\/seconds/],
      RATE_LIMIT_AUTH,
    )
  }
})

t.test('a read replica requires a primary, and metrics require another port', async (t) => {
  t.match(problemsOf({ DATABASE_READ_URL: 'postgres://replica/slipway' }), [
    /^DATABASE_URL is not set; expected the primary of DATABASE_READ_URL/,
  ])
  t.match(problemsOf({ PORT: '3000', METRICS_PORT: '3000' }), [/^METRICS_PORT conflicts .+another port than PORT/])
  t.equal(loadConfig({ METRICS_PORT: '9464' }).metricsPort, 9464)
  t.equal(loadConfig({}).metricsPort, null)
})

t.test('tracing is off without a collector', async (t) => {
  t.equal(loadConfig({}).tracing, null)
  const { tracing } = loadConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20key, other=b',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  })
  t.same(tracing, {
    endpoint: 'http://collector:4318',
    headers: { 'x-key': 'a key', other: 'b' },
    name: 'slipway',
    ratio: 0.25,
  })
  t.match(problemsOf({ OTEL_TRACES_SAMPLER_ARG: '1.5' }), [
    /^OTEL_TRACES_SAMPLER_ARG is "1.5"; expected a number from 0 to 1/,
  ])
  t.match(problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: 'no-value' }), [
    /^OTEL_EXPORTER_OTLP_HEADERS is invalid \(value not shown\); /,
  ])
})

t.test('several workers need servers that they can share; an indexer stays one process', async (t) => {
  const urls = { DATABASE_URL: 'postgres://db/slipway', RPC_URL: 'https://node.example', CHAIN_ID: '1' }
  t.same(problemsOf({ WORKERS: '2' }), [
    'DATABASE_URL is not set; expected a PostgreSQL URL because WORKERS is 2: the embedded database serves one process; or WORKERS=1',
    'REDIS_URL is not set; expected a Redis URL because WORKERS is 2: workers share nonces, revocations and quotas; or WORKERS=1',
    'RPC_URL is not set; expected the URL of a node because WORKERS is 2: the embedded chain serves one process; or WORKERS=1',
  ])
  t.match(problemsOf({ ...urls, WORKERS: '2', ROLE: 'api' }), [/^REDIS_URL is not set/])
  t.equal(loadConfig({ ...urls, WORKERS: '2', REDIS_URL: 'redis://cache' }).workers, 2)
  t.same(problemsOf({ ...urls, WORKERS: '2', ROLE: 'indexer' }), [])
  t.same(problemsOf({ WORKERS: '1' }), [])
  t.same(problemsOf({ WORKERS: '0' }), ['WORKERS is "0"; expected an integer from 1 to 64'])
})

t.test('the settings of Redis name one server, nodes of a Cluster, or Sentinels', async (t) => {
  const url = 'redis://:secret%2Cword@a.example:6379'
  const two = `${url}, redis://:secret%2Cword@b.example:6379`
  t.match(loadConfig({ REDIS_URL: url }), { redis: { mode: 'single', urls: [url], sentinelName: null } })
  const cluster = loadConfig({ REDIS_URL: two, REDIS_MODE: 'cluster' })
  t.equal(cluster.redis?.urls.length, 2)
  t.ok(cluster.secrets.includes('secret,word'))
  const sentinel = { REDIS_URL: two, REDIS_MODE: 'sentinel', REDIS_SENTINEL_NAME: 'shop' }
  t.match(loadConfig(sentinel).redis, { mode: 'sentinel', sentinelName: 'shop' })
  t.equal(loadConfig({}).redis, null)
  for (const [env, problem] of [
    [{ REDIS_URL: two }, /^REDIS_URL conflicts .* one URL, because REDIS_MODE is single; for several set REDIS_MODE/],
    [{ REDIS_URL: ',' }, /^REDIS_URL is invalid \(value not shown\); expected comma-separated URLs/],
    [{ REDIS_MODE: 'cluster' }, /^REDIS_URL is not set; expected URLs, because REDIS_MODE is cluster/],
    [{ REDIS_MODE: 'many' }, /^REDIS_MODE is "many"; expected one of single, cluster, sentinel/],
    [{ ...sentinel, REDIS_SENTINEL_NAME: '' }, /^REDIS_SENTINEL_NAME is not set; expected the name of the primary/],
    [{ ...sentinel, REDIS_SENTINEL_NAME: 'a b' }, /^REDIS_SENTINEL_NAME is "a b"; expected letters, digits/],
    [
      { ...sentinel, REDIS_MODE: 'cluster' },
      /^REDIS_SENTINEL_NAME conflicts .* no value, because REDIS_MODE is cluster/,
    ],
    [{ REDIS_URL: `${url},redis://b.example`, REDIS_MODE: 'cluster' }, /^REDIS_URL conflicts .* host and port only/],
    [{ REDIS_URL: `${url}/1`, REDIS_MODE: 'cluster' }, /^REDIS_URL conflicts .* without a database/],
  ] as const)
    t.match(problemsOf(env), [problem])
})

t.test('DATABASE_URL may name several hosts, of which the primary is used', async (t) => {
  const read = (env: Record<string, string>) => loadConfig({ NODE_ENV: 'test', ...env })
  const hosts = 'postgres://u:p%40ss-word@a:1,[::1]:2,c/db?sslmode=require'
  t.equal(read({ DATABASE_URL: `${hosts}&target_session_attrs=primary` }).databaseUrl?.includes('a:1,[::1]:2,c'), true)
  t.ok(read({ DATABASE_URL: `${hosts}&target_session_attrs=read-write` }).secrets.includes('p@ss-word'))
  t.same(splitHosts(`${hosts}&target_session_attrs=primary`), {
    urls: ['a:1', '[::1]:2', 'c'].map((host) => `postgres://u:p%40ss-word@${host}/db?sslmode=require`),
    sessions: 'primary',
  })
  t.same(splitHosts('postgres://u@a/db'), { urls: ['postgres://u@a/db'], sessions: null })
  for (const [name, url] of [
    ['DATABASE_URL', `${hosts}&target_session_attrs=any`],
    ['DATABASE_URL', `${hosts}&target_session_attrs=standby`],
    ['DATABASE_DIRECT_URL', `${hosts}&target_session_attrs=standby`],
    ['DATABASE_READ_URL', `${hosts}&target_session_attrs=primary`],
    ['DATABASE_URL', 'postgres://a,,b/db'],
    ['DATABASE_URL', 'postgres://a:1,:2/db'],
    ['DATABASE_URL', 'postgres://a:x,b/db'],
  ] as const)
    t.throws(
      () => read({ DATABASE_URL: 'postgres://a/db', [name]: url }),
      { message: new RegExp(`${name} is invalid \\(value not shown\\); expected a URL .*target_session_attrs=`) },
      `${name} ${url}`,
    )
})

t.test('quote assets are read, and an invalid one is a problem that says what to do', async (t) => {
  const [a, b, c] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]
  const usdc = { address: a, symbol: 'USDC', decimals: 6, usd: { fixed: '1' } }
  const inPool = (address: string, quote: string) => ({
    ...{ address, symbol: 'X', decimals: 18 },
    usd: { pool: c, venue: 'uniswap-v3', quote, minLiquidityUsd: '10000' },
  })
  const configure = (...quotes: object[]) => ({ QUOTES: JSON.stringify(quotes) })
  t.strictSame(loadConfig({}).quotes, [])
  const upper = { ...usdc, address: `0x${'A'.repeat(40)}`, usd: { feed: `0x${'B'.repeat(40)}` } }
  t.strictSame(loadConfig(configure(upper, inPool(b, 'native'))).quotes, [
    { ...upper, address: `0x${'a'.repeat(40)}`, usd: { feed: `0x${'b'.repeat(40)}` } },
    inPool(b, 'native'),
  ])
  for (const wrong of [
    { ...usdc, decimals: 37 },
    { ...usdc, address: '0x1' },
    { ...usdc, usd: { fixed: '0' } },
    { ...usdc, usd: { fixed: '1', feed: b } },
    { ...usdc, name: 'x' },
    { ...inPool(a, 'native'), usd: { ...inPool(a, 'native').usd, venue: 'uniswap-v4' } },
  ])
    t.match(problemsOf(configure(wrong)), [/^QUOTES is .*; expected a JSON array of/], JSON.stringify(wrong))
  for (const [quotes, problem] of [
    [[usdc, usdc], /names 0x1+ twice: leave one entry/],
    [[{ ...usdc, address: `0x${'0'.repeat(40)}` }], /is the native coin: remove the entry/],
    [[inPool(b, a)], /prices X in 0x1+, which it does not name: add an entry/],
    [[inPool(a, b), inPool(b, a)], /by a circle of pools: give one asset of the circle a fixed price or a feed/],
  ] as const)
    t.match(problemsOf(configure(...quotes))[0], problem)
  const DEPLOYMENTS = JSON.stringify([{ kind: 'wrapped-native', address: a, startBlock: 0 }])
  t.match(problemsOf({ DEPLOYMENTS, ...configure(usdc) }), [/which is the native coin: remove the entry/])
  t.strictSame(problemsOf({ DEPLOYMENTS, ...configure(inPool(b, a)) }), [], 'a pool with the wrapped coin')
})
