import { Type } from '@sinclair/typebox'
import { chainVariables } from './chain.ts'
import { deploymentVariables } from './deployments.ts'
import { DEFAULT_FINALITY, finalityForms, MAX_FINALITY_BLOCKS, readFinality } from './finality.ts'
import { quoteVariables } from './quotes.ts'
import {
  check,
  choice,
  database,
  quota,
  readDomain,
  readHeaders,
  readKeys,
  readName,
  readNetworks,
  readOrigins,
  readPrivateKey,
  readPublicUrl,
  readRatio,
  readRedisUrls,
  readSentinelName,
  readUrl,
  readWallets,
  readWord,
  splitList,
  text,
  url,
  whole,
} from './variables.ts'

/** Signs tokens in development. The secret is public, so production rejects it. */
export const DEVELOPMENT_JWT_KEYS = 'development:slipway-development-secret-known-to-everyone'

/** The values of target_session_attrs, as libpq names them. */
const PRIMARY = ['primary', 'read-write']
const REPLICA = ['standby', 'prefer-standby']

/** Every environment variable: its name, help text, validation and default. */
export const environment = {
  NODE_ENV: choice(
    ['development', 'test', 'production'],
    'development',
    'production rejects settings that are safe in development only',
  ),
  PORT: whole(0, 65_535, 3000, 'TCP port of the API; 0: any free port'),
  HOST: text({ description: 'Address to listen on', accepts: 'an address or host name' }, String, '127.0.0.1'),
  DATA_DIR: text(
    { description: 'Folder of the embedded chain, the embedded database and uploads', accepts: 'a path' },
    String,
    './data',
  ),
  ROLE: choice(['all', 'api', 'indexer'], 'all', 'Role of this process; of several indexers one is active at a time'),
  WORKERS: whole(
    1,
    64,
    1,
    'Processes that serve requests on PORT, beside one that indexes if ROLE is all; more than 1 needs DATABASE_URL, ' +
      'REDIS_URL and RPC_URL. An indexer is always one process',
  ),
  DATABASE_URL: database('PostgreSQL primary; unset: an embedded database in DATA_DIR', PRIMARY),
  DATABASE_DIRECT_URL: database(
    'The server of DATABASE_URL past a pooler, for migrations, the indexer and notifications; unset: DATABASE_URL',
    PRIMARY,
  ),
  DATABASE_READ_URL: database('Streaming replica of DATABASE_URL, for reads without a token', REPLICA),
  DATABASE_READ_CONNECTIONS: whole(1, 1_000, 10, 'Maximum connections per process for reads'),
  DATABASE_WRITE_CONNECTIONS: whole(1, 1_000, 4, 'Maximum connections per process for writes other than receipt syncs'),
  DATABASE_SYNC_CONNECTIONS: whole(1, 1_000, 3, 'Maximum receipt syncs that a process applies at the same time'),
  DATABASE_STATEMENT_TIMEOUT_MS: whole(100, 600_000, 15_000, 'Statement timeout of requests'),
  DATABASE_LOCK_TIMEOUT_MS: whole(
    100,
    600_000,
    5_000,
    'Lock timeout of requests; also the longest time that a receipt sync is queued',
  ),
  INDEXER_STATEMENT_TIMEOUT_MS: whole(1_000, 86_400_000, 600_000, 'Statement timeout of the indexer'),
  SYNC_QUEUE: whole(0, 10_000, 100, 'Maximum receipt syncs in the queue of a process; further ones get 503'),
  READ_MAX_LAG_MS: whole(0, 3_600_000, 3_000, 'Replica lag above which reads go to the primary'),
  REDIS_URL: text(
    {
      description:
        'Redis, shared by all replicas: a server, nodes of a Cluster, or Sentinels; unset: an in-process cache',
      accepts: 'comma-separated URLs (redis or rediss), with %2C for a comma in a password',
      secret: true,
    },
    readRedisUrls,
  ),
  REDIS_MODE: choice(['single', 'cluster', 'sentinel'], 'single', 'What REDIS_URL names'),
  REDIS_SENTINEL_NAME: text(
    { description: 'Name by which the Sentinels of REDIS_URL know the primary', accepts: 'letters, digits and ._-' },
    readSentinelName,
  ),
  RPC_URL: text(
    {
      description: 'Nodes in order of preference; unset: an embedded chain',
      accepts: 'comma-separated http(s) URLs',
      secret: true,
    },
    (raw) => splitList(raw).map(readUrl('http', 'https')),
    '',
  ),
  RPC_SOCKET_URL: url('Node that pushes new blocks; unset: the head is only polled', ['ws', 'wss'], true),
  CHAIN_ID: Type.Integer({
    minimum: 1,
    maximum: 4_294_967_295,
    description: 'Chain id of RPC_URL, required with it; default 31337, the embedded chain',
    accepts: 'an integer from 1',
  }),
  ...chainVariables,
  JWT_KEYS: text(
    {
      description:
        'Keys of sign-in tokens: the first signs, all verify, which allows rotation; the default is published',
      accepts: 'comma-separated kid:secret pairs with distinct kids and secrets of at least 32 bytes',
      secret: true,
    },
    readKeys,
    DEVELOPMENT_JWT_KEYS,
  ),
  KEEPER_KEY: text(
    {
      description:
        'Key of an account that graduates completed tokens, with coins for gas alone; unset: nobody is relied on to do it',
      accepts: '32 bytes in hexadecimal',
      secret: true,
    },
    readPrivateKey,
  ),
  PUBLIC_URL: text(
    {
      description: 'URL at which clients reach the service; default http://localhost:PORT',
      accepts: 'a URL (http or https) without user, password, query and fragment',
    },
    readPublicUrl,
  ),
  SIWE_DOMAIN: text(
    { description: 'Domain in sign-in messages; default the host of PUBLIC_URL', accepts: 'host or host:port' },
    readDomain,
  ),
  ADMIN_WALLETS: text(
    { description: 'Wallets of operators', accepts: 'comma-separated 0x addresses' },
    readWallets,
    '',
  ),
  LABS_WALLETS: text(
    { description: 'Wallets of labs members', accepts: 'comma-separated 0x addresses' },
    readWallets,
    '',
  ),
  ...deploymentVariables,
  ...quoteVariables,
  FINALITY: text(
    {
      description:
        'When a block is final, which confirms its records: a number of blocks below the head, a number of seconds ' +
        'older than it (such as 60s), or finalized: as the node says',
      accepts: finalityForms,
    },
    readFinality,
    DEFAULT_FINALITY,
  ),
  FINALITY_DEPTH: whole(0, MAX_FINALITY_BLOCKS, undefined, 'Older name of FINALITY, in blocks only'),
  NODE_PROOFS: choice(
    ['on', 'off'],
    'on',
    'Verify logs near the head against the receipts root; off for a chain whose receipts do not hash to its headers',
  ),
  PROOF_REQUESTS_PER_SECOND: whole(
    0,
    100_000,
    20,
    'Average requests per second to nodes for proving blocks that a backfill has read in ranges; 0: off',
  ),
  POLL_INTERVAL_MS: whole(10, 600_000, 1000, 'Interval at which the indexer polls the head of the chain'),
  MAX_LAG_BLOCKS: whole(1, 1_000_000_000, 100, 'Indexer lag in blocks above which /health fails'),
  MAX_BLOCK_AGE: whole(
    0,
    31_536_000,
    undefined,
    'Age of the newest block in seconds above which /health fails; 0: no limit. Default from recent block intervals; 0 on chain 31337',
  ),
  OUTBOX_RETENTION_SECONDS: whole(60, 2_592_000, 3_600, 'How long live events can be replayed'),
  SNIPER_SECONDS: whole(
    0,
    3_600,
    5,
    'Purchases so long after the first trade of a token are counted as those of snipers; another value rebuilds the derived tables',
  ),
  FINE_CANDLE_DAYS: whole(
    7,
    36_500,
    undefined,
    'Days for which candles shorter than an hour are kept, rounded up to partitions of 30 days; unset: for ever',
  ),
  NODE_BUDGET_MS: whole(500, 60_000, 10_000, 'Total time that one request may wait for nodes of RPC_URL'),
  RPC_PROXY_TIMEOUT_MS: whole(
    100,
    60_000,
    10_000,
    'Total time that one request of POST /rpc may wait for nodes of RPC_URL',
  ),
  RPC_PROXY_LOG_RANGE: whole(1, 1_000_000_000, 10_000, 'Maximum block range of eth_getLogs at POST /rpc'),
  RPC_PROXY_GAS_CAP: whole(21_000, 1_000_000_000, 50_000_000, 'Maximum gas of a call at POST /rpc'),
  RPC_PROXY_OVERRIDES: choice(['on', 'off'], 'off', 'Allow state and block overrides in calls at POST /rpc'),
  MARKET_DATA_URL: url(
    'Base URL of the GeckoTerminal API, for markets of tokens launched elsewhere',
    ['http', 'https'],
    false,
    'https://api.geckoterminal.com/api/v2',
  ),
  MARKET_DATA_NETWORK: text(
    {
      description: 'Network id of the chain at MARKET_DATA_URL; default from CHAIN_ID',
      accepts: 'a network id, such as eth',
    },
    readWord,
  ),
  MARKET_DATA_KEY: text(
    { description: 'API key of a CoinGecko subscription for MARKET_DATA_URL', accepts: 'a key', secret: true },
    readWord,
  ),
  MARKET_DATA_TIMEOUT_MS: whole(100, 60_000, 5_000, 'Timeout of a request to MARKET_DATA_URL'),
  MARKET_DATA_FRESH_SECONDS: whole(0, 86_400, 30, 'Age up to which cached market data is served without a refresh'),
  MARKET_DATA_STALE_SECONDS: whole(
    1,
    604_800,
    600,
    'Age up to which cached market data is served while a refresh runs or fails',
  ),
  RATE_LIMITS: choice(['on', 'off'], 'on', 'off disables rate limits for tests and benchmarks; production rejects it'),
  RATE_LIMIT_GLOBAL: quota('300/60', 'all requests of one wallet or address'),
  RATE_LIMIT_ADDRESS: quota(
    undefined,
    'all requests of one address, with any wallets; default ten times RATE_LIMIT_GLOBAL',
  ),
  RATE_LIMIT_AUTH: quota('10/60', 'sign-in of one address'),
  RATE_LIMIT_UPLOAD: quota('10/60', 'uploads'),
  RATE_LIMIT_TRADE: quota('30/60', 'receipt syncs'),
  RATE_LIMIT_LAUNCH: quota('5/60', 'launches'),
  RATE_LIMIT_AMBASSADOR: quota('3/3600', 'ambassador applications'),
  RATE_LIMIT_READ_HEAVY: quota('60/60', 'search, rankings, link previews, quotes and other expensive reads'),
  ANSWER_CACHE_MB: whole(0, 4_096, 64, 'Memory for answers that stay valid until data changes; 0: none are kept'),
  MAX_LOOP_DELAY_MS: whole(
    0,
    60_000,
    undefined,
    'Event loop delay above which requests get 503; 0: no limit. Default 1000; 0 with an embedded database',
  ),
  TRUST_PROXY: text(
    {
      description: 'Proxies whose X-Forwarded-For header is trusted',
      accepts: 'comma-separated IP addresses or CIDRs, such as 10.0.0.0/8',
    },
    readNetworks,
    '',
  ),
  CORS_ORIGINS: text(
    { description: 'Allowed CORS origins', accepts: '* or comma-separated origins' },
    readOrigins,
    '*',
  ),
  SOCKET_ORIGINS: text(
    {
      description: 'Origins whose pages may open WebSockets; default CORS_ORIGINS',
      accepts: '* or comma-separated origins',
    },
    readOrigins,
  ),
  HTTP_CONNECTIONS_MAX: whole(1, 1_000_000, 5_000, 'Maximum HTTP connections per process, without WebSockets'),
  HTTP_CONNECTIONS_PER_ADDRESS: whole(
    1,
    1_000_000,
    200,
    'Maximum HTTP connections per client address (IPv6: per /64); proxies of TRUST_PROXY are exempt',
  ),
  // The minimum exceeds the largest response, that of POST /rpc.
  UNREAD_BYTES_MAX: whole(
    16_777_216,
    1_099_511_627_776,
    134_217_728,
    'Maximum unread bytes on all connections and WebSockets; above it the worst readers are disconnected',
  ),
  UNREAD_BYTES_PER_ADDRESS: whole(
    16_777_216,
    1_099_511_627_776,
    33_554_432,
    'Maximum unread bytes per client address (IPv6: per /64); proxies of TRUST_PROXY are exempt',
  ),
  SOCKETS_MAX: whole(1, 1_000_000, 20_000, 'Maximum WebSockets per process'),
  SOCKETS_PER_ADDRESS: whole(1, 1_000_000, 200, 'Maximum WebSockets per client address (IPv6: per /64)'),
  SOCKET_ROOMS: whole(1, 1_000_000, 50, 'Maximum channels per WebSocket'),
  SOCKET_VIEWS: whole(1, 1_000_000, 10, 'Maximum live views per WebSocket'),
  VIEWS_MAX: whole(
    1,
    1_000_000,
    500,
    'Maximum live views with a filter per process; an address may open a fifth of them',
  ),
  SOCKET_MESSAGES: whole(1, 1_000_000, 30, 'Maximum client messages per WebSocket in 10 s'),
  SOCKET_MESSAGE_BYTES: whole(256, 1_048_576, 4_096, 'Maximum size of a client message in bytes'),
  SOCKET_PING_MS: whole(
    100,
    3_600_000,
    30_000,
    'Interval between pings; a client that leaves one unanswered is disconnected',
  ),
  SOCKET_BUFFER_BYTES: whole(
    65_536,
    1_073_741_824,
    1_048_576,
    'Maximum unread bytes per WebSocket; a client above it is disconnected',
  ),
  LOG_LEVEL: choice(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'Lowest level that is logged',
  ),
  LOG_FORMAT: choice(['json', 'pretty'], undefined, 'Log format; default pretty in development, else json'),
  METRICS_PORT: whole(0, 65_535, 0, 'Separate TCP port of /metrics, to keep it private; 0: PORT'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('Collector of traces, OTLP over HTTP; unset: no tracing', ['http', 'https']),
  OTEL_EXPORTER_OTLP_HEADERS: text(
    { description: 'Headers of requests to the collector', accepts: 'comma-separated name=value pairs', secret: true },
    readHeaders,
    '',
  ),
  OTEL_SERVICE_NAME: text({ description: 'Service name in traces', accepts: 'a name' }, readName, 'slipway'),
  OTEL_TRACES_SAMPLER_ARG: text(
    {
      description: 'Share of the traces that is sampled if the caller made no sampling decision',
      accepts: 'a number from 0 to 1',
    },
    readRatio,
    '1',
  ),
  MARKET: choice(
    ['on', 'off'],
    undefined,
    'Simulated trading on the embedded chain; default on with an embedded chain',
  ),
  WEB: choice(['on', 'off'], 'on', 'Serve the web client under /app; off serves the API alone'),
  S3_BUCKET: text(
    { description: 'Bucket of uploads; unset: a folder in DATA_DIR', accepts: 'the name of a bucket' },
    readName,
  ),
  S3_ENDPOINT: url('Endpoint of S3_BUCKET if it is not on Amazon S3', ['http', 'https']),
  S3_REGION: text({ description: 'Region of S3_BUCKET', accepts: 'the name of a region' }, readName, 'us-east-1'),
  S3_ACCESS_KEY_ID: text(
    {
      description: 'Access key of S3_BUCKET; unset: the default credential chain of the AWS SDK',
      accepts: 'a key id',
      secret: true,
    },
    String,
  ),
  S3_SECRET_ACCESS_KEY: text({ description: 'Secret of S3_ACCESS_KEY_ID', accepts: 'a secret', secret: true }, String),
  FETCH_METADATA: choice(
    ['on', 'inline', 'off'],
    undefined,
    'Token metadata from contractURI (image, description, home page). on: fetched; inline: data: URIs only; off: ignored. Default inline on the embedded chain, else on',
  ),
  IPFS_GATEWAY: url('Gateway that resolves ipfs:// URIs', ['http', 'https'], false, 'https://ipfs.io'),
  IMAGE_WORKERS: whole(1, 64, 2, 'Child processes that encode uploads, up to 768 MB each'),
  OG_WORKERS: whole(1, 64, 2, 'Child processes that draw link previews'),
  OG_PATIENCE_MS: whole(100, 60_000, 2_500, 'How long a request waits for its link preview before it gets a fallback'),
  BRAND_NAME: text({ description: 'Name shown to users', accepts: '1 to 64 characters' }, readName, 'Slipway'),
  BRAND_URL: url('Home page of the web client; default PUBLIC_URL', ['http', 'https']),
  BRAND_LOGO_URL: url('Logo URL of the web client', ['http', 'https']),
  BRAND_COLOR: text(
    { description: 'Accent colour', accepts: '#rrggbb' },
    (raw) => {
      check(/^#[0-9a-fA-F]{6}$/.test(raw))
      return raw.toLowerCase()
    },
    '#0ea5e9',
  ),
} as const
