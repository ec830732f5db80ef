import type { StaticDecode, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import manifest from '../package.json' with { type: 'json' }
import { describeChain, isKnownChain } from './chain.ts'
import type { Deployment } from './deployments.ts'
import { DEVELOPMENT_JWT_KEYS, environment } from './environment.ts'
import type { FinalityRule } from './finality.ts'
import { listSecrets } from './list-secrets.ts'
import { findMisspelled, type Misspelled } from './misspelled.ts'
import { findQuoteProblems, type QuoteSetting, type UsdRoute } from './quotes.ts'
import type { Note } from './variables.ts'

export type { Deployment, QuoteSetting, UsdRoute }

/** The well-known accounts of the embedded chain. */
export interface Demo {
  mnemonic: string
  accounts: readonly { index: number; address: string; name: string }[]
}

type Name = keyof typeof environment
/** Every variable as read: its default when unset, and undefined when it has none. */
type Values = { [N in Name]: StaticDecode<(typeof environment)[N]> | Undefaulted<N> }
type Undefaulted<N extends Name> = N extends Optional ? undefined : never
type Optional =
  | 'DATABASE_URL'
  | 'DATABASE_DIRECT_URL'
  | 'DATABASE_READ_URL'
  | 'REDIS_URL'
  | 'REDIS_SENTINEL_NAME'
  | 'CHAIN_ID'
  | 'NATIVE_CURRENCY'
  | 'EXPLORER_URL'
  | 'FINALITY_DEPTH'
  | 'MAX_BLOCK_AGE'
  | 'FINE_CANDLE_DAYS'
  | 'PUBLIC_URL'
  | 'SIWE_DOMAIN'
  | 'LOG_FORMAT'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'MARKET'
  | 'S3_BUCKET'
  | 'S3_ENDPOINT'
  | 'S3_ACCESS_KEY_ID'
  | 'S3_SECRET_ACCESS_KEY'
  | 'FETCH_METADATA'
  | 'KEEPER_KEY'
  | 'MARKET_DATA_NETWORK'
  | 'MARKET_DATA_KEY'
  | 'SOCKET_ORIGINS'
  | 'BRAND_URL'
  | 'BRAND_LOGO_URL'

/** An invalid environment. The message lists every problem, one per line, and the names that are probably mistyped. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]
  readonly misspelled: readonly Misspelled[]

  constructor(problems: readonly string[], misspelled: readonly Misspelled[] = []) {
    const hints = misspelled.map(({ name, nearest }) => `${name} is not a variable of the service; it has ${nearest}`)
    super(`Invalid environment:\n${[...problems, ...hints].map((line) => `  - ${line}`).join('\n')}`)
    this.problems = problems
    this.misspelled = misspelled
  }
}

/** Decimal integers only: Number() accepts '', '0x10' and '1e3', and TypeBox truncates 3000.5. */
const toInteger = (given: unknown) => (/^-?\d+$/.test(String(given)) ? Number(given) : given)

function readVariables(env: Record<string, string | undefined>, problems: string[]): Values {
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(environment)) {
    const { accepts, secret } = schema as TSchema & Note
    // Compose files pass unset variables as empty strings.
    const raw = env[name]?.trim() || undefined
    const given = raw ?? schema.default
    if (given === undefined) continue
    try {
      values[name] = Value.Decode(schema, schema.type === 'integer' ? toInteger(given) : given)
    } catch {
      problems.push(`${name} is ${secret ? 'invalid (value not shown)' : JSON.stringify(raw)}; expected ${accepts}`)
    }
  }
  return values as Values
}

/** Checks that involve several variables, and the requirements of production. */
function findConflicts(values: Values, env: Record<string, string | undefined>): string[] {
  const problems: string[] = []
  const report = (name: Name, expected: string) => {
    const given = env[name]?.trim()
    // An invalid value is already in the list.
    if (given && values[name] === undefined) return
    if (problems.some((problem) => problem.startsWith(`${name} `))) return
    problems.push(`${name} ${given ? 'conflicts with other settings' : 'is not set'}; expected ${expected}`)
  }
  const embedded = values.RPC_URL?.length === 0
  if (!embedded && values.CHAIN_ID === undefined) report('CHAIN_ID', 'the chain id of RPC_URL')
  if (embedded && (values.CHAIN_ID ?? 31337) !== 31337)
    report('CHAIN_ID', '31337, the embedded chain, because RPC_URL is not set')
  if (!embedded && values.MARKET === 'on') report('MARKET', 'off: only the embedded chain simulates trading')
  const alone = values.ROLE === 'api' || values.ROLE === 'indexer'
  if (alone && values.DATABASE_URL === undefined)
    report('DATABASE_URL', `a PostgreSQL URL because ROLE is ${values.ROLE}: the embedded database serves one process`)
  if (alone && embedded)
    report('RPC_URL', `the URL of a node because ROLE is ${values.ROLE}: the embedded chain serves one process`)
  const wrapped = (values.DEPLOYMENTS ?? []).filter(({ kind }) => kind === 'wrapped-native')
  for (const problem of findQuoteProblems(
    values.QUOTES ?? [],
    wrapped.map(({ address }) => address),
  ))
    problems.push(`QUOTES ${problem}`)
  const { WORKERS: workers } = values
  if (workers !== undefined && workers > 1 && values.ROLE !== 'indexer') {
    const why = `because WORKERS is ${workers}`
    if (values.DATABASE_URL === undefined)
      report('DATABASE_URL', `a PostgreSQL URL ${why}: the embedded database serves one process; or WORKERS=1`)
    if (values.REDIS_URL === undefined)
      report('REDIS_URL', `a Redis URL ${why}: workers share nonces, revocations and quotas; or WORKERS=1`)
    if (embedded) report('RPC_URL', `the URL of a node ${why}: the embedded chain serves one process; or WORKERS=1`)
  }
  if (values.DATABASE_READ_URL !== undefined && values.DATABASE_URL === undefined)
    report('DATABASE_URL', 'the primary of DATABASE_READ_URL')
  if (values.DATABASE_DIRECT_URL !== undefined && values.DATABASE_URL === undefined)
    report('DATABASE_URL', 'the pooler in front of DATABASE_DIRECT_URL')
  reportRedis(values, report)
  if (values.FINALITY_DEPTH !== undefined && env.FINALITY?.trim())
    report('FINALITY_DEPTH', 'no value, because FINALITY, its newer name, is set')
  if (values.METRICS_PORT !== 0 && values.METRICS_PORT === values.PORT)
    report('METRICS_PORT', 'another port than PORT, or 0')
  if (values.S3_ENDPOINT !== undefined && values.S3_BUCKET === undefined)
    report('S3_BUCKET', 'the bucket at S3_ENDPOINT')
  if (values.S3_ACCESS_KEY_ID !== undefined && values.S3_SECRET_ACCESS_KEY === undefined)
    report('S3_SECRET_ACCESS_KEY', 'the secret of S3_ACCESS_KEY_ID')
  const isProduction = values.NODE_ENV === 'production'
  // An empty variable is an unset one: the default is the public key of development.
  const isKeyPublic = values.JWT_KEYS?.some(({ secret }) => secret === DEVELOPMENT_JWT_KEYS.split(':')[1])
  if (isKeyPublic && (isProduction || values.PUBLIC_URL?.startsWith('https:')))
    report('JWT_KEYS', 'your own secrets in production, and with a PUBLIC_URL of https: anyone knows the default')
  if (!isProduction) return problems
  if (values.PUBLIC_URL === undefined) report('PUBLIC_URL', 'an absolute URL in production')
  if (values.DATABASE_URL === undefined) report('DATABASE_URL', 'a PostgreSQL URL in production')
  if (embedded) report('RPC_URL', 'the URL of a node in production')
  if (values.ROLE === 'api' && values.REDIS_URL === undefined)
    report('REDIS_URL', 'a Redis URL in production when ROLE is api: replicas share nonces and revocations')
  if (values.RATE_LIMITS === 'off')
    report('RATE_LIMITS', 'on in production; to allow more requests, raise RATE_LIMIT_GLOBAL and the other quotas')
  if (values.CHAIN_ID !== undefined && values.NATIVE_CURRENCY === undefined && !isKnownChain(values.CHAIN_ID))
    report('NATIVE_CURRENCY', `the coin of chain ${values.CHAIN_ID}, such as MON:Monad: this chain is not a known one`)
  if (values.DEPLOYMENTS?.length === 0) report('DEPLOYMENTS', 'at least one launchpad in production')
  return problems
}

function reportRedis(
  { REDIS_URL: urls, REDIS_MODE: mode, REDIS_SENTINEL_NAME: name }: Values,
  report: (name: Name, expected: string) => void,
): void {
  // Not a mode: that is reported already.
  if (mode === undefined) return
  if (mode === 'sentinel' && name === undefined)
    report('REDIS_SENTINEL_NAME', 'the name of the primary, because REDIS_MODE is sentinel')
  if (mode !== 'sentinel' && name !== undefined)
    report('REDIS_SENTINEL_NAME', `no value, because REDIS_MODE is ${mode}; for Sentinels set REDIS_MODE=sentinel`)
  if (urls === undefined) {
    if (mode !== 'single') report('REDIS_URL', `URLs, because REDIS_MODE is ${mode}`)
    return
  }
  if (mode === 'single' && urls.length > 1)
    report('REDIS_URL', 'one URL, because REDIS_MODE is single; for several set REDIS_MODE=cluster or sentinel')
  const places = urls.map((url) => new URL(url))
  const shared = places.map(({ protocol, username, password, pathname }) =>
    [protocol, username, password, pathname].join(' '),
  )
  if (new Set(shared).size > 1)
    report('REDIS_URL', 'URLs that differ in host and port only: the rest holds for every server')
  if (mode === 'cluster' && places.some(({ pathname }) => !['', '/', '/0'].includes(pathname)))
    report('REDIS_URL', 'URLs without a database, because REDIS_MODE is cluster')
}

/** Validates the environment. The result is frozen; no other module reads the environment. */
export function loadConfig(env: Record<string, string | undefined>) {
  const problems: string[] = []
  const values = readVariables(env, problems)
  problems.push(...findConflicts(values, env))
  const misspelled = findMisspelled(env, Object.keys(environment))
  if (problems.length > 0) throw new ConfigError(problems, misspelled)

  const publicUrl = values.PUBLIC_URL ?? `http://localhost:${values.PORT}`
  const production = values.NODE_ENV === 'production'
  const embeddedChain = values.RPC_URL.length === 0
  return deepFreeze({
    version: manifest.version,
    /** Set variables that the service does not have, with the names that were probably meant. */
    misspelled,
    production,
    port: values.PORT,
    host: values.HOST,
    dataDir: values.DATA_DIR,
    role: values.ROLE,
    /** Processes that serve requests on one port. */
    workers: values.WORKERS,
    databaseUrl: values.DATABASE_URL ?? null,
    /** null: no pooler between DATABASE_URL and the server, or one that pools sessions. */
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? null,
    databaseReadUrl: values.DATABASE_READ_URL ?? null,
    readMaxLagMs: values.READ_MAX_LAG_MS,
    database: {
      readConnections: values.DATABASE_READ_CONNECTIONS,
      writeConnections: values.DATABASE_WRITE_CONNECTIONS,
      syncConnections: values.DATABASE_SYNC_CONNECTIONS,
      statementMs: values.DATABASE_STATEMENT_TIMEOUT_MS,
      lockMs: values.DATABASE_LOCK_TIMEOUT_MS,
      indexerStatementMs: values.INDEXER_STATEMENT_TIMEOUT_MS,
    },
    syncQueue: values.SYNC_QUEUE,
    /** null: without Redis. */
    redis: readRedis(values),
    /** Empty without RPC_URL; the process sets it to the embedded chain's URL, and `deployments` to its contracts. */
    rpcUrls: values.RPC_URL,
    /** null: the head is only polled. The embedded chain sets its own. */
    rpcSocketUrl: values.RPC_SOCKET_URL ?? null,
    ...readChain(values),
    deployments: values.DEPLOYMENTS,
    /** Without the native coin. */
    quotes: values.QUOTES,
    /** null: completed tokens wait for a call of anyone. */
    keeperKey: values.KEEPER_KEY ?? null,
    finality: readFinalityRule(values),
    nodeProofs: values.NODE_PROOFS === 'on',
    proofRequestsPerSecond: values.NODE_PROOFS === 'on' ? values.PROOF_REQUESTS_PER_SECOND : 0,
    pollIntervalMs: values.POLL_INTERVAL_MS,
    maxLagBlocks: values.MAX_LAG_BLOCKS,
    /** null: derived from recent block intervals. Chains with id 31337 mine on demand. */
    maxBlockAge: values.MAX_BLOCK_AGE ?? ((values.CHAIN_ID ?? 31337) === 31337 ? 0 : null),
    outboxRetentionSeconds: values.OUTBOX_RETENTION_SECONDS,
    sniperSeconds: values.SNIPER_SECONDS,
    /** null: all candles are kept. */
    fineCandleDays: values.FINE_CANDLE_DAYS ?? null,
    market: embeddedChain && values.MARKET !== 'off',
    nodeBudgetMs: values.NODE_BUDGET_MS,
    rpcProxy: {
      timeoutMs: values.RPC_PROXY_TIMEOUT_MS,
      logRange: values.RPC_PROXY_LOG_RANGE,
      gasCap: BigInt(values.RPC_PROXY_GAS_CAP),
      overrides: values.RPC_PROXY_OVERRIDES === 'on',
    },
    externalMarkets: {
      url: values.MARKET_DATA_URL,
      network: values.MARKET_DATA_NETWORK ?? null,
      key: values.MARKET_DATA_KEY ?? null,
      timeoutMs: values.MARKET_DATA_TIMEOUT_MS,
      freshSeconds: values.MARKET_DATA_FRESH_SECONDS,
      staleSeconds: values.MARKET_DATA_STALE_SECONDS,
    },
    jwt: {
      keys: values.JWT_KEYS,
      issuer: publicUrl,
      audience: publicUrl,
      lifetimeSeconds: 86_400,
      sessionSeconds: 7 * 86_400,
    },
    siweDomain: values.SIWE_DOMAIN ?? new URL(publicUrl).host,
    publicUrl,
    adminWallets: values.ADMIN_WALLETS,
    labsWallets: values.LABS_WALLETS,
    rateLimits: values.RATE_LIMITS === 'on',
    quotas: {
      global: values.RATE_LIMIT_GLOBAL,
      auth: values.RATE_LIMIT_AUTH,
      upload: values.RATE_LIMIT_UPLOAD,
      trade: values.RATE_LIMIT_TRADE,
      launch: values.RATE_LIMIT_LAUNCH,
      ambassador: values.RATE_LIMIT_AMBASSADOR,
      'read-heavy': values.RATE_LIMIT_READ_HEAVY,
    },
    responseCacheBytes: values.ANSWER_CACHE_MB * 1024 * 1024,
    // One process indexes as well if the database is embedded, on machines of any size.
    maxLoopDelayMs: values.MAX_LOOP_DELAY_MS ?? (values.DATABASE_URL === undefined ? 0 : 1_000),
    trustProxy: values.TRUST_PROXY,
    corsOrigins: values.CORS_ORIGINS,
    connections: readConnections(values),
    sockets: readSockets(values),
    s3: readS3(values),
    fetchMetadata: values.FETCH_METADATA ?? (embeddedChain ? 'inline' : 'on'),
    ipfsGateway: values.IPFS_GATEWAY,
    imageWorkers: values.IMAGE_WORKERS,
    ogWorkers: values.OG_WORKERS,
    ogPatienceMs: values.OG_PATIENCE_MS,
    logLevel: values.LOG_LEVEL,
    /** null: /metrics is served at the main port. */
    metricsPort: values.METRICS_PORT === 0 ? null : values.METRICS_PORT,
    tracing: readTracing(values),
    logFormat: values.LOG_FORMAT ?? (values.NODE_ENV === 'development' ? 'pretty' : 'json'),
    /** Whether to serve the web client under /app. */
    web: values.WEB === 'on',
    /** Accounts that anyone may use; null except on the embedded chain, which sets it. */
    demo: null as Demo | null,
    /** Whatever must not occur in a log line. */
    secrets: listSecrets({
      urls: [values.DATABASE_URL, values.DATABASE_DIRECT_URL, values.DATABASE_READ_URL, ...(values.REDIS_URL ?? [])],
      rpcUrls: values.RPC_URL,
      others: [
        ...values.JWT_KEYS.map(({ secret }) => secret),
        values.S3_SECRET_ACCESS_KEY,
        values.MARKET_DATA_KEY,
        ...Object.values(values.OTEL_EXPORTER_OTLP_HEADERS),
      ],
    }),
    brand: {
      name: values.BRAND_NAME,
      url: values.BRAND_URL ?? publicUrl,
      logoUrl: values.BRAND_LOGO_URL ?? null,
      color: values.BRAND_COLOR,
    },
  })
}

/** The chain's id, name, native coin and block explorer. */
function readChain({ CHAIN_ID: chainId = 31337, NATIVE_CURRENCY: currency, EXPLORER_URL: explorerUrl }: Values) {
  return { chainId, ...describeChain({ chainId, currency, explorerUrl }) }
}

/** null: without Redis. */
function readRedis({ REDIS_URL: urls, REDIS_MODE: mode, REDIS_SENTINEL_NAME: name }: Values) {
  return urls === undefined ? null : { mode, urls, sentinelName: name ?? null }
}

function readFinalityRule({ FINALITY: rule, FINALITY_DEPTH: amount }: Values): FinalityRule {
  return amount === undefined ? rule : { unit: 'blocks', amount }
}

/** Limits of HTTP connections and unread bytes. RATE_LIMITS=off lifts the limits per address. */
function readConnections(values: Values) {
  const limited = values.RATE_LIMITS === 'on'
  return {
    maximum: values.HTTP_CONNECTIONS_MAX,
    perAddress: limited ? values.HTTP_CONNECTIONS_PER_ADDRESS : Number.POSITIVE_INFINITY,
    unreadBytes: values.UNREAD_BYTES_MAX,
    unreadBytesPerAddress: limited ? values.UNREAD_BYTES_PER_ADDRESS : Number.POSITIVE_INFINITY,
    stallMs: 30_000,
    // Longer than keepAliveMs, after which Node closes a connection: for connections that Node no longer tracks.
    idleMs: 120_000,
    // From the connection, or the first byte of a request, to the request's last byte.
    requestMs: 30_000,
    // How often Node checks for requests that exceed it.
    checkMs: 2_000,
  }
}

/** Limits of WebSockets. RATE_LIMITS=off lifts the limits per client. */
function readSockets(values: Values) {
  const limited = values.RATE_LIMITS === 'on'
  return {
    origins: values.SOCKET_ORIGINS ?? values.CORS_ORIGINS,
    maximum: values.SOCKETS_MAX,
    perAddress: limited ? values.SOCKETS_PER_ADDRESS : Number.POSITIVE_INFINITY,
    rooms: values.SOCKET_ROOMS,
    views: values.SOCKET_VIEWS,
    processViews: values.VIEWS_MAX,
    messages: limited ? values.SOCKET_MESSAGES : Number.POSITIVE_INFINITY,
    messageBytes: values.SOCKET_MESSAGE_BYTES,
    pingMs: values.SOCKET_PING_MS,
    bufferBytes: values.SOCKET_BUFFER_BYTES,
  }
}

/** null: no tracing. */
function readTracing(values: Values) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = values
  if (endpoint === undefined) return null
  return { endpoint, headers, name: values.OTEL_SERVICE_NAME, ratio: values.OTEL_TRACES_SAMPLER_ARG }
}

/** null: uploads are stored in DATA_DIR. */
function readS3(values: Values) {
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint = null, S3_REGION: region } = values
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = values
  if (bucket === undefined) return null
  return {
    bucket,
    endpoint,
    region,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
  }
}

export type Config = ReturnType<typeof loadConfig>

type Deep<T> = T extends readonly (infer Item)[]
  ? readonly Deep<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Deep<T[K]> }
    : T

function deepFreeze<T>(value: T): Deep<T> {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value) as Deep<T>
}
