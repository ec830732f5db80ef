import { setFlagsFromString } from 'node:v8'
import type { FastifyBaseLogger } from 'fastify'
import { Chain } from './chain/client.ts'
import { getFinalizedHeader } from './chain/finalized-block.ts'
import { isNodeFailure } from './chain/node-failure.ts'
import { findKindProblem } from './chain/prove-contract.ts'
import type { Config } from './config.ts'
import { type Db, type OpenDatabase, openDatabase, type Transact } from './db/client.ts'
import { findOutboxState } from './db/queries/outbox.ts'
import type { ReadReplica } from './db/read-replica.ts'
import type { EmbeddedChain } from './dev/embedded-chain.ts'
import { openLiveBus } from './features/live/live-bus.ts'
import { type Contracts, connectContracts } from './indexer/engine/contracts.ts'
import { startIndexer } from './indexer/engine/start.ts'
import { createSyncQueue } from './indexer/engine/sync-queue.ts'
import { watchIndexer, watchProgress } from './indexer/engine/watch-indexer.ts'
import type { Cache } from './lib/cache/cache.ts'
import { createMemoryCache } from './lib/cache/cache-memory.ts'
import type { LiveBus } from './lib/live/live-events.ts'
import { allocateYoung } from './lib/memory/garbage-collection.ts'
import { createMetrics, type Metrics } from './lib/telemetry/create-metrics.ts'
import { openTracing, type Tracing } from './lib/telemetry/open-tracing.ts'
import { watchCache } from './lib/telemetry/watch-cache.ts'
import { watchPools } from './lib/telemetry/watch-database.ts'
import { watchReplica } from './lib/telemetry/watch-replica.ts'
import { describeQuery, instrumentRequest, instrumentStep } from './observe.ts'

/** Connections and workers of the process. */
export interface Services {
  /** The effective configuration: with an embedded chain it contains that chain's URL and contracts. */
  config: Config
  /** For reads on the primary. */
  db: Db
  /** For requests that may write. */
  writes: Db
  /** For reads that may be late; null without one. */
  replica: ReadReplica | null
  cache: Cache
  chain: Chain
  /** The registry of contracts, completed from the chain. Rejects while no node responds. */
  getContracts: () => Promise<Contracts>
  /** Runs transactions of receipt syncs in their own queue. */
  transactSync: Transact
  live: LiveBus
  log: FastifyBaseLogger
  metrics: Metrics
  /** null where no collector is configured. */
  tracing: Tracing | null
  /** Closes everything, the last opened first. */
  close(): Promise<void>
}

type Close = () => Promise<void>

/** Opens all services. If one fails, those already open are closed. */
export async function openServices(given: Config, log: FastifyBaseLogger): Promise<Services> {
  allocateYoung()
  const opened: Close[] = []
  const close = async () => {
    for (const closeOne of opened.splice(0).reverse()) {
      await closeOne().catch((error: unknown) => log.warn({ err: error }, 'A service did not close'))
    }
  }
  try {
    const metrics = createMetrics()
    const tracing = await startTracing(given, log)
    if (tracing) opened.push(() => tracing.close())
    // Concurrently: the embedded database is created while the embedded node starts.
    const openingChain = openEmbeddedChain(given, log)
    opened.push(() => closeOpening(openingChain))
    if (given.databaseUrl === null && given.rpcUrls.length === 0) keepWasmUnoptimized()
    const openingDatabase = openDatabase(
      given,
      tracing ? (query) => tracing.record(describeQuery(query.sql), query.milliseconds, query.failed) : undefined,
      (line) => log.info(line),
    ).catch((error: unknown) => explainDatabase(error, given))
    opened.push(() => closeOpening(openingDatabase))
    const [embedded, database] = await Promise.all([openingChain, openingDatabase])
    watchDatabase(metrics, database)
    await embedded?.reconcileDatabase(database)
    const cache = watchCache(await openCache(given, database.db, log), metrics)
    opened.push(() => cache.close())
    const { rpcUrls, rpcSocketUrl, deployments, demo } = embedded ?? given
    const config = Object.freeze({ ...given, rpcUrls, rpcSocketUrl, deployments, demo })
    const contradictions = metrics.counter(
      'rpc_contradictions_total',
      'Responses of nodes that contradict each other or a header, by index of the node in RPC_URL',
      ['node'],
    )
    const chain = new Chain(config.rpcUrls, {
      proofs: config.nodeProofs,
      onContradiction: (node, reason) => {
        contradictions.inc({ node: node + 1 })
        log.warn({ node: node + 1, reason }, 'Ignored an answer of a node that contradicts itself; asking others first')
      },
      onTrust: ({ blooms, receipts }) => {
        const trust = { logsBloom: blooms, receiptsRoot: receipts }
        if (receipts) log.info(trust, 'Logs near the head are proven by receipts')
        else log.warn(trust, 'Receipts do not hash to their headers on this chain: logs need two equal answers')
      },
      budgetMs: config.nodeBudgetMs,
      instrument: instrumentRequest(metrics, tracing),
      onWorkerCrash: (error) =>
        log.warn({ err: error }, 'The worker thread that reads logs crashed; the next request starts another'),
    })
    await checkChainId(chain, config, log)
    if (!embedded) await checkContracts(chain, config)
    if (config.finality.unit === 'finalized') await checkFinalizedTag(chain)
    const getContracts = connectContracts(database.db, chain, config)
    // An unreachable node is tolerated; a wrong chain or missing contracts are not.
    await getContracts().catch((error: unknown) => {
      if (!isNodeFailure(error)) throw error
    })
    const live = await openLiveBus({
      db: database.db,
      redisUrl: config.redisUrl,
      databaseUrl: config.databaseUrl,
      log,
    })
    opened.push(() => live.close())
    if (config.role !== 'api') {
      const watcher = watchIndexer(metrics, () => indexer.status().role === 'leading')
      const indexer = startIndexer({
        database,
        chain,
        config,
        log,
        getContracts,
        onApplied: (applied) => {
          live.notifyCommitted(applied.change)
          watcher.onApplied(applied)
        },
        aroundStep: instrumentStep(watcher.onStep, tracing),
      })
      opened.push(() => indexer.stop())
      indexer.ended.catch((error: unknown) => log.fatal({ err: error }, 'The indexer has ended'))
    }
    // The history is indexed while it is made.
    await embedded?.completed
    embedded?.market?.start()
    if (embedded) opened.push(embedded.seedUsers(database.db, config.adminWallets[0]))
    const { db, writes, replica = null } = database
    const transactSync = createSyncQueue(database.syncs, config)
    return { config, db, writes, replica, cache, chain, getContracts, transactSync, live, log, metrics, tracing, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * For the market of the embedded chain, which keeps PGlite little busy: V8 would spend three seconds of processor time of
 * the start, and 500 MB, on optimizing its code.
 */
function keepWasmUnoptimized(): void {
  for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
}

/** Closes a service that may still be opening, or may have failed to open. */
async function closeOpening(opening: Promise<{ close(): Promise<void> } | undefined>): Promise<void> {
  const service = await opening.catch(() => undefined)
  await service?.close()
}

function watchDatabase(metrics: Metrics, { db, pools, replica }: OpenDatabase): void {
  watchPools(metrics, pools)
  watchProgress(metrics, db)
  if (replica) watchReplica(metrics, replica)
}

async function startTracing({ tracing, version, role }: Config, log: FastifyBaseLogger): Promise<Tracing | null> {
  if (tracing === null) return null
  const { endpoint, headers, ratio, name } = tracing
  const onError = (error: unknown) => log.warn({ err: error }, 'Traces could not be sent')
  return openTracing({ endpoint, headers, ratio, service: { name, version, role }, onError })
}

async function openCache({ redisUrl }: Config, db: Db, log: FastifyBaseLogger): Promise<Cache> {
  if (redisUrl === null) return createMemoryCache()
  // Imported only when needed.
  const { openRedisCache } = await import('./lib/cache/cache-redis.ts')
  const namespace = (await findOutboxState(db))?.channel ?? ''
  let reported = false
  const onError = (error: unknown) => {
    // The client reports each reconnect attempt; log one line per outage.
    if (!reported) log.warn({ err: error }, 'The cache is unreachable')
    reported = true
  }
  const onReady = () => {
    if (reported) log.info('The cache is reachable again')
    reported = false
  }
  return openRedisCache(redisUrl, { namespace, onError, onReady }).catch((cause: unknown) => {
    throw new Error(
      `The Redis ${new URL(redisUrl).host} of REDIS_URL cannot be reached. Start it, or correct the URL`,
      { cause },
    )
  })
}

/** Prevents mixing data of two chains. An unreachable node is tolerated. */
async function checkChainId(chain: Chain, { chainId }: Config, log: FastifyBaseLogger): Promise<void> {
  const actual = await chain.getChainId().catch((error: unknown) => {
    log.warn({ err: error }, 'No node of RPC_URL answers yet')
    return chainId
  })
  if (actual !== chainId) throw new Error(`CHAIN_ID is ${chainId}, but the node of RPC_URL is on chain ${actual}`)
}

/** Rejects if the node does not know the tag that FINALITY names. An unreachable node is tolerated. */
async function checkFinalizedTag(chain: Chain): Promise<void> {
  await getFinalizedHeader(chain).catch((error: unknown) => {
    if (!isNodeFailure(error)) throw error
  })
}

/** Names the contract of DEPLOYMENTS that is not what it is configured as. An unreachable node is tolerated. */
async function checkContracts(chain: Chain, { deployments, chainId }: Config): Promise<void> {
  const check = async (deployment: Config['deployments'][number]) => ({
    deployment,
    problem: await findKindProblem(chain.client, deployment),
  })
  const checks = await Promise.all(deployments.map(check)).catch((error: unknown) => {
    if (isNodeFailure(error)) return []
    throw error
  })
  const wrong = checks.find(({ problem }) => problem !== null)
  if (!wrong) return
  const { kind, address } = wrong.deployment
  throw new Error(
    `DEPLOYMENTS names ${address} as ${kind}, but it ${wrong.problem} (CHAIN_ID ${chainId}). Correct it; npm run preflight checks all settings`,
  )
}

/** Codes of connections that fail for what DATABASE_URL says: no server there, or no such user, password or database. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  '28000',
  '28P01',
  '3D000',
])

function explainDatabase(error: unknown, { databaseUrl }: Config): never {
  const { code = '' } = error as NodeJS.ErrnoException
  if (databaseUrl === null || !UNREACHABLE.has(code)) throw error
  const { host, pathname } = new URL(databaseUrl)
  throw new Error(
    `The database ${host}${pathname} of DATABASE_URL cannot be used (${code}). Start it, or correct the URL`,
    {
      cause: error,
    },
  )
}

/** Starts the embedded chain when RPC_URL is not set. */
async function openEmbeddedChain(config: Config, log: FastifyBaseLogger): Promise<EmbeddedChain | undefined> {
  if (config.rpcUrls.length > 0) return undefined
  // Imported only when needed.
  const embedded = await import('./dev/embedded-chain.ts')
  return embedded.openEmbeddedChain(config, log)
}
