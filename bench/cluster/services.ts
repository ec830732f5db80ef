import { randomBytes } from 'node:crypto'
import { type StartedService, startService } from '../../scripts/start-service.ts'
import { CHAIN_ID, DEPLOYMENTS } from './shape.ts'

export interface ServiceOptions {
  databaseUrl: string
  redisUrl: string
  nodePort: number
  dataDir: string
}

const QUOTAS = ['GLOBAL', 'AUTH', 'UPLOAD', 'TRADE', 'LAUNCH', 'AMBASSADOR', 'READ_HEAVY']
const JWT_KEYS = `bench:${randomBytes(32).toString('hex')}`

export const describeChain = ({ databaseUrl, nodePort }: ServiceOptions): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  RPC_URL: `http://127.0.0.1:${nodePort}`,
  CHAIN_ID: String(CHAIN_ID),
  DEPLOYMENTS,
})

const describe = (options: ServiceOptions): Record<string, string> => ({
  ...describeChain(options),
  NODE_ENV: 'production',
  DATA_DIR: options.dataDir,
  PUBLIC_URL: 'http://cluster.example',
  JWT_KEYS,
  REDIS_URL: options.redisUrl,
  RPC_SOCKET_URL: `ws://127.0.0.1:${options.nodePort}`,
  // The invented blocks have no receipts.
  NODE_PROOFS: 'off',
  FETCH_METADATA: 'off',
  // Not reachable: nothing here asks a third party.
  MARKET_DATA_URL: 'http://127.0.0.1:1',
  LOG_LEVEL: 'error',
  LOG_FORMAT: 'json',
})

export const startIndexer = (options: ServiceOptions): Promise<StartedService> =>
  startService({ ...describe(options), ROLE: 'indexer' })

/** Clients have many addresses, and quotas that none of them exhausts. */
export const startApi = (options: ServiceOptions, workers: number): Promise<StartedService> =>
  startService({
    ...describe(options),
    ROLE: 'api',
    WORKERS: String(workers),
    TRUST_PROXY: '127.0.0.1',
    SOCKETS_PER_ADDRESS: '100000',
    ...Object.fromEntries(QUOTAS.map((name) => [`RATE_LIMIT_${name}`, '9999999/60'])),
    // Saturation is measured here; 503 responses before it would hide it.
    MAX_LOOP_DELAY_MS: '0',
  })
