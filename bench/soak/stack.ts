import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../db/client.ts'
import { openEmbeddedChain } from '../../dev/embedded-chain.ts'
import { findPort, startService } from '../../scripts/start-service.ts'
import { createScratchDatabase } from '../indexer/databases.ts'

const CHAIN_ID = 31_337
const QUOTAS = ['GLOBAL', 'AUTH', 'UPLOAD', 'TRADE', 'LAUNCH', 'AMBASSADOR', 'READ_HEAVY']

/** Resource use of the service's process. */
export interface Footprint {
  /** Bytes. */
  rss: number
  /** Memory of its child processes. */
  children: number
  heap: number
  external: number
  /** Event loop delay in milliseconds since the last sample: 99th percentile and maximum. */
  lateP99: number
  lateMost: number
  /** CPU seconds since the start. */
  cpu: number
  descriptors: number
}

export interface Stack {
  url: string
  node: string
  contracts: Record<string, string>
  measure(): Promise<Footprint>
  close(): Promise<void>
}

/** A service in production form, on a separate database and a chain with a trading market. */
export async function startStack({ serverUrl, redisUrl }: { serverUrl: string; redisUrl: string }): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-soak-'))
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    const database = await createScratchDatabase(serverUrl, `slipway_soak_${process.pid}`)
    closers.push(() => database.drop())
    const log = { info: () => {}, warn: (fields: object, message: string) => console.error(message, fields) }
    const chain = await openEmbeddedChain({ dataDir: folder, chainId: CHAIN_ID, market: true }, log)
    closers.push(() => chain.close())
    const opened = await openDatabase({ databaseUrl: database.url, dataDir: folder })
    await chain.reconcileDatabase(opened).finally(() => opened.close())
    await chain.completed
    chain.market?.start()
    const metricsPort = await findPort()
    const service = await startService({
      NODE_ENV: 'production',
      METRICS_PORT: String(metricsPort),
      DATA_DIR: folder,
      PUBLIC_URL: 'http://soak.example',
      JWT_KEYS: `soak:${randomBytes(32).toString('hex')}`,
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl,
      RPC_URL: chain.rpcUrls.join(),
      RPC_SOCKET_URL: chain.rpcSocketUrl,
      CHAIN_ID: String(CHAIN_ID),
      DEPLOYMENTS: JSON.stringify(chain.deployments),
      FETCH_METADATA: 'inline',
      // Not reachable: the load uses no third party.
      MARKET_DATA_URL: 'http://127.0.0.1:1',
      // Clients have many addresses, and quotas that none of them exhausts.
      TRUST_PROXY: '127.0.0.1',
      SOCKETS_PER_ADDRESS: '100000',
      ...Object.fromEntries(QUOTAS.map((name) => [`RATE_LIMIT_${name}`, '9999999/60'])),
      // The delay is measured here; 503 responses for it would reduce the load.
      MAX_LOOP_DELAY_MS: '0',
      LOG_LEVEL: 'error',
      LOG_FORMAT: 'json',
    })
    closers.push(() => service.stop())
    return {
      url: service.url,
      node: chain.rpcUrls[0]!,
      contracts: Object.fromEntries(chain.deployments.map(({ kind, address }) => [kind, address])),
      measure: () => measure(`http://127.0.0.1:${metricsPort}/metrics`, service.child.pid!),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function measure(url: string, pid: number): Promise<Footprint> {
  const text = await (await fetch(url)).text()
  const read = (name: string) => {
    const line = text.split('\n').find((line) => line.startsWith(`slipway_${name} `))
    return line === undefined ? Number.NaN : Number(line.slice(line.lastIndexOf(' ') + 1))
  }
  return {
    rss: read('process_resident_memory_bytes'),
    children: sumChildren(pid),
    heap: read('process_heap_bytes{part="used"}'),
    external: read('process_heap_bytes{part="external"}'),
    lateP99: read('event_loop_lag_seconds{quantile="0.99"}') * 1_000,
    lateMost: read('event_loop_lag_seconds{quantile="1"}') * 1_000,
    cpu: read('process_cpu_seconds_total{mode="user"}') + read('process_cpu_seconds_total{mode="system"}'),
    descriptors: read('process_open_fds'),
  }
}

/** Resident memory of all descendant processes, from /proc; 0 without it. */
function sumChildren(pid: number): number {
  const resident = new Map<number, { parent: number; bytes: number }>()
  try {
    for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8')
        const field = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
        resident.set(Number(name), { parent: field('PPid'), bytes: field('VmRSS') * 1024 })
      } catch {
        // The process has ended meanwhile.
      }
    }
  } catch {
    return 0
  }
  const isBelow = (one: number): boolean => {
    const parent = resident.get(one)?.parent
    return parent === pid || (parent !== undefined && parent > 1 && isBelow(parent))
  }
  return [...resident].reduce((sum, [one, { bytes }]) => sum + (isBelow(one) ? bytes : 0), 0)
}
