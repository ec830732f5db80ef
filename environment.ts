import { type Static, type TString, type TTransform, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** Signs tokens on a developer's machine. Anyone can read it here, so production refuses it. */
export const DEVELOPMENT_JWT_KEYS = 'development:slipway-development-secret-known-to-everyone'

/** A variable: what it is for, what it accepts (in words, for the message of a refusal), whether it may be printed. */
export interface Note {
  description: string
  wants: string
  secret?: boolean
}

/** A variable that is written as text and read as something richer; `read` throws on what it cannot read. */
const text = <T>(note: Note, read: (raw: string) => T, fallback?: string): TTransform<TString, T> =>
  Type.Transform(Type.String({ ...note, ...(fallback === undefined ? {} : { default: fallback }) }))
    .Decode(read)
    .Encode(String) as TTransform<TString, T>

const whole = (minimum: number, maximum: number, fallback: number | undefined, description: string) =>
  Type.Integer({
    minimum,
    maximum,
    ...(fallback === undefined ? {} : { default: fallback }),
    description,
    wants: `an integer from ${minimum} to ${maximum}`,
  })

const choice = <const T extends readonly string[]>(values: T, fallback: T[number] | undefined, description: string) =>
  Type.Unsafe<T[number]>(
    Type.String({
      pattern: `^(${values.join('|')})$`,
      ...(fallback === undefined ? {} : { default: fallback }),
      description,
      wants: `one of ${values.join(', ')}`,
    }),
  )

const check = (condition: unknown) => {
  if (!condition) throw new TypeError('refused')
}

const splitList = (raw: string) =>
  raw
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const readWallets = (raw: string) =>
  splitList(raw).map((wallet) => {
    check(/^0x[0-9a-fA-F]{40}$/.test(wallet))
    return wallet.toLowerCase()
  })

const readUrl = (...protocols: string[]) => {
  return (raw: string) => {
    const { protocol } = new URL(raw)
    check(protocols.includes(protocol.slice(0, -1)))
    return raw.replace(/\/+$/, '')
  }
}

const readOrigins = (raw: string) =>
  splitList(raw).map((origin) => {
    check(origin === '*' || new URL(origin).origin === origin)
    return origin
  })

const readKeys = (raw: string) => {
  const keys = splitList(raw).map((pair) => {
    const colon = pair.indexOf(':')
    const key = { kid: pair.slice(0, colon), secret: pair.slice(colon + 1) }
    check(colon > 0 && /^[\w-]{1,64}$/.test(key.kid) && Buffer.byteLength(key.secret) >= 32)
    return key
  })
  check(keys.length > 0 && new Set(keys.map(({ kid }) => kid)).size === keys.length)
  return keys
}

const deploymentKinds = [
  'launchpad',
  'price-feed',
  'wrapped-native',
  'uniswap-factory',
  'uniswap-router',
  'staking',
  'raises',
] as const
const Deployments = Type.Array(
  Type.Object(
    {
      kind: Type.Unsafe<(typeof deploymentKinds)[number]>(Type.String({ pattern: `^(${deploymentKinds.join('|')})$` })),
      address: Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })),
      startBlock: Type.Integer({ minimum: 0 }),
    },
    { additionalProperties: false },
  ),
)
export type Deployment = Readonly<Static<typeof Deployments>[number]>

const readDeployments = (raw: string): Deployment[] =>
  Value.Decode(Deployments, JSON.parse(raw)).map((item) => ({
    ...item,
    address: item.address.toLowerCase() as `0x${string}`,
  }))

const readDomain = (raw: string) => {
  check(raw === new URL(`http://${raw}`).host || raw === `${new URL(`http://${raw}`).hostname}:80`)
  return raw
}

const readName = (raw: string) => {
  check(raw.length <= 64)
  return raw
}

const readWord = (raw: string) => {
  check(/^[\w-]{1,64}$/.test(raw))
  return raw
}

/** So many requests in any so many seconds. */
export interface Quota {
  limit: number
  windowSeconds: number
}

const readQuota = (raw: string): Quota => {
  const [, limit, windowSeconds] = (/^(\d{1,7})\/(\d{1,5})$/.exec(raw) ?? []).map(Number)
  if (!limit || !windowSeconds) throw new TypeError('refused')
  return { limit, windowSeconds }
}

const quota = (fallback: string, description: string) =>
  text({ description: `Quota of ${description}`, wants: 'requests/seconds, such as 60/60' }, readQuota, fallback)

const readHeaders = (raw: string) =>
  Object.fromEntries(
    splitList(raw).map((pair) => {
      const [, name, value] = /^([\w-]+)=(.+)$/.exec(pair) ?? []
      check(name && value)
      return [String(name).toLowerCase(), decodeURIComponent(String(value))]
    }),
  )

const readRatio = (raw: string) => {
  check(/^(0|1|0?\.\d+|1\.0+)$/.test(raw))
  return Number(raw)
}

const url = (description: string, protocols: string[], secret = false, fallback?: string) =>
  text({ description, secret, wants: `a URL (${protocols.join(' or ')})` }, readUrl(...protocols), fallback)

/** The environment, variable by variable: the one place that names, describes, checks and defaults them. */
export const environment = {
  NODE_ENV: choice(['development', 'test', 'production'], 'development', 'production refuses development defaults'),
  PORT: whole(0, 65_535, 3000, 'TCP port of the API; 0 takes a free one'),
  HOST: text({ description: 'Address to listen on', wants: 'an address or host name' }, String, '127.0.0.1'),
  DATA_DIR: text({ description: 'Folder of the embedded database and uploads', wants: 'a path' }, String, './data'),
  ROLE: choice(['all', 'api', 'indexer'], 'all', 'What this process does; one indexer is active at a time'),
  DATABASE_URL: url('PostgreSQL; unset: an embedded database in DATA_DIR', ['postgres', 'postgresql'], true),
  DATABASE_READ_URL: url('Streaming replica of it, for reads without a token', ['postgres', 'postgresql'], true),
  DATABASE_READ_CONNECTIONS: whole(1, 1_000, 10, 'Connections of a process for reads'),
  DATABASE_WRITE_CONNECTIONS: whole(1, 1_000, 4, 'Connections of a process for requests that write, apart from syncs'),
  DATABASE_SYNC_CONNECTIONS: whole(1, 1_000, 3, 'Receipt syncs that a process applies at once'),
  DATABASE_STATEMENT_TIMEOUT_MS: whole(100, 600_000, 15_000, 'How long one statement of a request may run'),
  DATABASE_LOCK_TIMEOUT_MS: whole(
    100,
    600_000,
    5_000,
    'How long a request waits for a lock, and a receipt sync for its turn before that',
  ),
  INDEXER_STATEMENT_TIMEOUT_MS: whole(1_000, 86_400_000, 600_000, 'How long one statement of the indexer may run'),
  SYNC_QUEUE: whole(0, 10_000, 100, 'Receipt syncs of a process that wait for their turn; others are answered 503'),
  READ_MAX_LAG_MS: whole(0, 3_600_000, 3_000, 'How late that replica may be before the primary is read instead'),
  REDIS_URL: url('Redis, shared by all replicas; unset: an in-process cache', ['redis', 'rediss'], true),
  RPC_URL: text(
    { description: 'Nodes in order of preference; unset: an embedded chain', wants: 'http(s) URLs', secret: true },
    (raw) => splitList(raw).map(readUrl('http', 'https')),
    '',
  ),
  RPC_SOCKET_URL: url(
    'Node that tells of new blocks at once; unset: looked for every POLL_INTERVAL_MS',
    ['ws', 'wss'],
    true,
  ),
  CHAIN_ID: Type.Integer({
    minimum: 1,
    maximum: 4_294_967_295,
    description: 'Required with RPC_URL',
    wants: 'an integer from 1',
  }),
  JWT_KEYS: text(
    {
      description: 'Keys of sign-in tokens: the first signs, all verify, so that keys can be rotated',
      wants: 'kid:secret pairs, comma-separated, kids distinct, each secret at least 32 bytes',
      secret: true,
    },
    readKeys,
    DEVELOPMENT_JWT_KEYS,
  ),
  PUBLIC_URL: url('Where clients reach the service; default http://localhost:PORT', ['http', 'https']),
  SIWE_DOMAIN: text(
    { description: 'Domain named in sign-in messages; default the host of PUBLIC_URL', wants: 'host or host:port' },
    readDomain,
  ),
  ADMIN_WALLETS: text({ description: 'Operators', wants: '0x addresses, comma-separated' }, readWallets, ''),
  LABS_WALLETS: text({ description: 'Labs members', wants: '0x addresses, comma-separated' }, readWallets, ''),
  DEPLOYMENTS: text(
    {
      description: 'Contracts to follow. Append only: what an older contract launched stays indexed',
      wants: `a JSON list of {"kind":"${deploymentKinds.join('|')}","address":"0x...","startBlock":0}`,
    },
    readDeployments,
    '[]',
  ),
  // A reorg of more than 7 slots has not been seen on mainnet since the merge; 12 leaves room at little delay.
  FINALITY_DEPTH: whole(0, 10_000, 12, 'Blocks after which a record counts as confirmed and cannot be undone'),
  NODE_PROOFS: choice(
    ['on', 'off'],
    'on',
    'Whether logs near the head are proven by receipts; off for a chain whose receipts do not hash to its headers',
  ),
  POLL_INTERVAL_MS: whole(10, 600_000, 1000, 'Pause between two looks at the head of the chain'),
  MAX_LAG_BLOCKS: whole(1, 1_000_000_000, 100, 'How far the indexer may be behind before /health fails'),
  MAX_BLOCK_AGE: whole(
    0,
    31_536_000,
    undefined,
    'Seconds that the newest block may be old before /health fails; 0: any. Default by the chain’s own intervals; 0 on chain 31337',
  ),
  OUTBOX_RETENTION_SECONDS: whole(60, 2_592_000, 3_600, 'How long live events can be heard again by who missed them'),
  NODE_BUDGET_MS: whole(500, 60_000, 10_000, 'How long one request waits for the nodes of RPC_URL in all'),
  RPC_PROXY_TIMEOUT_MS: whole(
    100,
    60_000,
    10_000,
    'How long one request of POST /rpc waits for the nodes of RPC_URL in all',
  ),
  RPC_PROXY_LOG_RANGE: whole(1, 1_000_000_000, 10_000, 'Blocks that one eth_getLogs of POST /rpc may span'),
  RPC_PROXY_GAS_CAP: whole(21_000, 1_000_000_000, 50_000_000, 'Gas of one call of POST /rpc that a node carries out'),
  RPC_PROXY_OVERRIDES: choice(
    ['on', 'off'],
    'off',
    'Whether callers of POST /rpc may override state and block in calls',
  ),
  MARKET_DATA_URL: url(
    'Base of the GeckoTerminal API, for markets of tokens not launched here',
    ['http', 'https'],
    false,
    'https://api.geckoterminal.com/api/v2',
  ),
  MARKET_DATA_NETWORK: text(
    { description: 'The chain by that API’s name for it; default by CHAIN_ID', wants: 'a network id, such as eth' },
    readWord,
  ),
  MARKET_DATA_KEY: text(
    { description: 'Key of a CoinGecko subscription, for its API at MARKET_DATA_URL', wants: 'a key', secret: true },
    readWord,
  ),
  MARKET_DATA_TIMEOUT_MS: whole(100, 60_000, 5_000, 'How long to wait for that API'),
  MARKET_DATA_FRESH_SECONDS: whole(0, 86_400, 30, 'Age up to which its data is not fetched anew'),
  MARKET_DATA_STALE_SECONDS: whole(1, 604_800, 600, 'Age up to which its data is served while newer is not to be had'),
  RATE_LIMITS: choice(['on', 'off'], 'on', 'off is for tests and benchmarks; production refuses it'),
  RATE_LIMIT_GLOBAL: quota('300/60', 'everything that one wallet or address asks'),
  RATE_LIMIT_AUTH: quota('10/60', 'sign-in'),
  RATE_LIMIT_UPLOAD: quota('10/60', 'uploads'),
  RATE_LIMIT_TRADE: quota('30/60', 'receipt syncs'),
  RATE_LIMIT_LAUNCH: quota('5/60', 'launches'),
  RATE_LIMIT_AMBASSADOR: quota('3/3600', 'ambassador applications'),
  RATE_LIMIT_READ_HEAVY: quota('60/60', 'search, rankings, previews, quotes and other reads that cost'),
  MAX_LOOP_DELAY_MS: whole(
    0,
    60_000,
    undefined,
    'Delay of the event loop from which requests are turned away; 0: never. Default 1000; 0 with an embedded database',
  ),
  TRUST_PROXY: text(
    { description: 'Proxies whose X-Forwarded-For is believed', wants: 'addresses or CIDRs, comma-separated' },
    (raw) =>
      splitList(raw).map((cidr) => {
        check(/^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(cidr))
        return cidr
      }),
    '',
  ),
  CORS_ORIGINS: text({ description: 'Origins that may call from a browser', wants: '* or origins' }, readOrigins, '*'),
  SOCKET_ORIGINS: text(
    { description: 'Origins whose pages may open sockets; default CORS_ORIGINS', wants: '* or origins' },
    readOrigins,
  ),
  HTTP_CONNECTIONS_MAX: whole(1, 1_000_000, 5_000, 'HTTP connections that this process holds at once, without sockets'),
  HTTP_CONNECTIONS_PER_ADDRESS: whole(
    1,
    1_000_000,
    200,
    'HTTP connections of one address outside of TRUST_PROXY, or of one IPv6 network of 64 bits',
  ),
  // The least is more than the largest response, which POST /rpc makes.
  UNREAD_BYTES_MAX: whole(
    16_777_216,
    1_099_511_627_776,
    134_217_728,
    'What peers may leave unread on all connections and sockets; past it the worst are cut off',
  ),
  UNREAD_BYTES_PER_ADDRESS: whole(
    16_777_216,
    1_099_511_627_776,
    33_554_432,
    'The same on those of one address outside of TRUST_PROXY, or of one IPv6 network of 64 bits',
  ),
  SOCKETS_MAX: whole(1, 1_000_000, 20_000, 'Sockets that this process holds at once'),
  SOCKETS_PER_ADDRESS: whole(1, 1_000_000, 200, 'Sockets of one address, or of one IPv6 network of 64 bits'),
  SOCKET_ROOMS: whole(1, 1_000_000, 50, 'Rooms that one socket may be in'),
  SOCKET_MESSAGES: whole(1, 1_000_000, 30, 'Messages that one socket may send in 10 s'),
  SOCKET_MESSAGE_BYTES: whole(256, 1_048_576, 4_096, 'Longest message of a client'),
  SOCKET_PING_MS: whole(100, 3_600_000, 30_000, 'Pause between two pings; a peer that left one unanswered is cut off'),
  SOCKET_BUFFER_BYTES: whole(65_536, 1_073_741_824, 1_048_576, 'What a peer may leave unread before it is cut off'),
  LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info', 'Least severity logged'),
  LOG_FORMAT: choice(['json', 'pretty'], undefined, 'Default pretty in development, else json'),
  METRICS_PORT: whole(0, 65_535, 0, 'TCP port of /metrics alone, to keep it private; 0: at PORT with the rest'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('Collector of traces, OTLP over HTTP; unset: nothing is traced', ['http', 'https']),
  OTEL_EXPORTER_OTLP_HEADERS: text(
    { description: 'Sent to that collector', wants: 'name=value pairs, comma-separated', secret: true },
    readHeaders,
    '',
  ),
  OTEL_SERVICE_NAME: text({ description: 'Name of the service in traces', wants: 'a name' }, readName, 'slipway'),
  OTEL_TRACES_SAMPLER_ARG: text(
    { description: 'Part of the traces that is recorded, unless a caller decided', wants: 'a number from 0 to 1' },
    readRatio,
    '1',
  ),
  MARKET: choice(['on', 'off'], undefined, 'Simulated trading on the embedded chain; default on where there is one'),
  S3_BUCKET: text(
    { description: 'Bucket of uploads; unset: a folder in DATA_DIR', wants: 'the name of a bucket' },
    readName,
  ),
  S3_ENDPOINT: url('Server of S3_BUCKET, if it is not Amazon’s', ['http', 'https']),
  S3_REGION: text({ description: 'Region of S3_BUCKET', wants: 'the name of a region' }, readName, 'us-east-1'),
  S3_ACCESS_KEY_ID: text(
    { description: 'Key of S3_BUCKET; unset: wherever Amazon’s own tools look', wants: 'a key id', secret: true },
    String,
  ),
  S3_SECRET_ACCESS_KEY: text({ description: 'Secret of S3_ACCESS_KEY_ID', wants: 'a secret', secret: true }, String),
  FETCH_METADATA: choice(
    ['on', 'inline', 'off'],
    undefined,
    'What contractURI says of a token (image, description, home page): fetch it, read what stands in the URI, or neither; default inline on the embedded chain, else on',
  ),
  IPFS_GATEWAY: url('Gateway that ipfs:// is read through', ['http', 'https'], false, 'https://ipfs.io'),
  IMAGE_WORKERS: whole(1, 64, 2, 'Child processes that encode uploads, of up to 768 MB each'),
  OG_WORKERS: whole(1, 64, 2, 'Child processes that draw link previews'),
  OG_PATIENCE_MS: whole(100, 60_000, 2_500, 'How long a link preview waits for its card before another is shown'),
  BRAND_NAME: text({ description: 'Name shown to users', wants: '1 to 64 characters' }, readName, 'Slipway'),
  BRAND_URL: url('Home page of the web client; default PUBLIC_URL', ['http', 'https']),
  BRAND_LOGO_URL: url('Logo of the web client', ['http', 'https']),
  BRAND_COLOR: text(
    { description: 'Accent colour', wants: '#rrggbb' },
    (raw) => {
      check(/^#[0-9a-fA-F]{6}$/.test(raw))
      return raw.toLowerCase()
    },
    '#0ea5e9',
  ),
} as const
