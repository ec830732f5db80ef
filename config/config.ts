import manifest from '../package.json' with { type: 'json' }
import { describeChain } from './chain.ts'
import type { Deployment } from './deployments.ts'
import { environment } from './environment.ts'
import type { FinalityRule } from './finality.ts'
import { findConflicts } from './find-conflicts.ts'
import { listSecrets } from './list-secrets.ts'
import { findMisspelled, type Misspelled } from './misspelled.ts'
import type { QuoteSetting, UsdRoute } from './quotes.ts'
import { readVariables, type Values } from './read-variables.ts'

export type { Deployment, QuoteSetting, UsdRoute }

/** The well-known accounts of the embedded chain. */
export interface Demo {
  mnemonic: string
  accounts: readonly { index: number; address: string; name: string }[]
}

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
      // Offices and mobile networks share addresses.
      address: values.RATE_LIMIT_ADDRESS ?? { ...values.RATE_LIMIT_GLOBAL, limit: 10 * values.RATE_LIMIT_GLOBAL.limit },
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
