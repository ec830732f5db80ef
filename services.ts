import { setFlagsFromString } from 'node:v8'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { findKindProblem } from './chain/prove-contract.ts'
import { Chain } from './chain/rpc/client.ts'
import { getFinalizedHeader } from './chain/rpc/finalized-block.ts'
import { isNodeFailure } from './chain/rpc/node-failure.ts'
import { WrongNodeError } from './chain/rpc/node-identity.ts'
import type { Config } from './config/config.ts'
import { findFolderUse } from './config/folder-use.ts'
import { readChainIdentity } from './db/chain-identity.ts'
import { type Db, type OpenDatabase, openDatabase, type Transact } from './db/client.ts'
import { findConnectionProblem, isSessionEnd } from './db/postgres/connection-problem.ts'
import type { ReadReplica } from './db/postgres/read-replica.ts'
import { findOutboxState } from './db/queries/outbox.ts'
import type { EmbeddedChain } from './dev/embedded-chain.ts'
import { SetupError } from './errors.ts'
import { startKeeper } from './features/keeper/keeper.ts'
import { openLiveBus } from './features/live/live-bus.ts'
import type { LiveBus } from './features/live/live-event.ts'
import { connectContracts } from './indexer/contracts.ts'
import type { Contracts } from './indexer/engine/contracts.ts'
import { createSyncQueue } from './indexer/engine/sync-queue.ts'
import { watchIndexer, watchProgress } from './indexer/engine/watch-indexer.ts'
import { startIndexer } from './indexer/start.ts'
import { launchpadContracts } from './launchpads/index.ts'
import type { Cache } from './lib/cache/cache.ts'
import { createMemoryCache } from './lib/cache/cache-memory.ts'
import { writeTrouble } from './lib/cache/indexer-trouble.ts'
import { allocateYoung } from './lib/memory/garbage-collection.ts'
import { describeFolderError, findFolderProblem } from './lib/storage/folder-problem.ts'
import { createMetrics, type Metrics } from './lib/telemetry/create-metrics.ts'
import { openTracing, type Tracing } from './lib/telemetry/open-tracing.ts'
import { watchCache } from './lib/telemetry/watch-cache.ts'
import { watchClock } from './lib/telemetry/watch-clock.ts'
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
    await requireFolder(given, log)
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
    )
    opened.push(() => closeOpening(openingDatabase))
    const [embedded, database] = await Promise.all([openingChain, openingDatabase])
    watchDatabase(metrics, database)
    // An embedded database has the clock of its process.
    if (database.kind === 'postgres') opened.push(watchDatabaseClock(metrics, database.db, log))
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
    const nameNode = (node: number) => ({ node: node + 1, host: new URL(config.rpcUrls[node] ?? '').host })
    const chain = new Chain(config.rpcUrls, {
      proofs: config.nodeProofs,
      identity: await readChainIdentity(database.db, config.chainId),
      onWrong: (node, reason) => log.error({ ...nameNode(node), reason }, 'A node of RPC_URL is not used'),
      onRight: (node) => log.info(nameNode(node), 'A node of RPC_URL is on the chain again and is used'),
      onRefused: (node, method, reason) =>
        log.warn({ ...nameNode(node), method, reason }, 'A node does not offer a method; logs need two equal answers'),
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
    await checkChain(chain, config, log)
    if (!embedded) await checkContracts(chain, config)
    if (config.finality.unit === 'finalized') await checkFinalizedTag(chain)
    const getContracts = connectContracts(database.db, chain, config)
    // An unreachable node is tolerated; a wrong chain or missing contracts are not.
    await getContracts().catch((error: unknown) => {
      if (!isNodeFailure(error)) throw error
    })
    const live = await openLiveBus({
      db: database.db,
      redis: config.redis,
      databaseUrl: config.databaseDirectUrl ?? config.databaseUrl,
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
        onTrouble: (trouble) => writeTrouble(cache, trouble),
        onApplied: (applied) => {
          live.notifyCommitted(applied.change)
          watcher.onApplied(applied)
        },
        onDifference: watcher.onDifference,
        aroundStep: instrumentStep(watcher.onStep, tracing),
      })
      opened.push(() => indexer.stop())
      const { keeperKey: key } = config
      if (key !== null) {
        const isActive = () => indexer.status().role === 'leading'
        const keeper = startKeeper({ db: database.db, chain, cache, log, config, key, isActive })
        opened.push(() => keeper.stop())
      }
      indexer.ended.catch((error: unknown) => log.fatal({ err: error }, 'The indexer has ended'))
    }
    // The history is indexed while it is made.
    await embedded?.completed
    embedded?.market?.start()
    if (embedded) {
      // Before the indexer stops.
      opened.push(() => embedded.settle(database.db))
      opened.push(embedded.seedUsers(database.db, config.adminWallets[0]))
    }
    const { db, writes, replica = null } = database
    const transactSync = createSyncQueue(database.syncs, config)
    return { config, db, writes, replica, cache, chain, getContracts, transactSync, live, log, metrics, tracing, close }
  } catch (error) {
    await close()
    throw explainDatabaseError(error, given)
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

function watchDatabaseClock(metrics: Metrics, db: Db, log: FastifyBaseLogger): Close {
  const readTime = async () => {
    const { rows } = await sql<{ time: number }>`select extract(epoch from clock_timestamp())::float8 as time`.execute(
      db,
    )
    return rows[0]!.time
  }
  const stop = watchClock(metrics, { readTime, log })
  return async () => stop()
}

async function startTracing({ tracing, version, role }: Config, log: FastifyBaseLogger): Promise<Tracing | null> {
  if (tracing === null) return null
  const { endpoint, headers, ratio, name } = tracing
  const onError = (error: unknown) => log.warn({ err: error }, 'Traces could not be sent')
  return openTracing({ endpoint, headers, ratio, service: { name, version, role }, onError })
}

async function openCache({ redis }: Config, db: Db, log: FastifyBaseLogger): Promise<Cache> {
  if (redis === null) return createMemoryCache()
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
  return openRedisCache(redis, { namespace, onError, onReady })
}

/** Prevents mixing data of two chains: rejects if every node is of another one. An unreachable node is tolerated. */
async function checkChain({ nodes }: Chain, { rpcUrls }: Config, log: FastifyBaseLogger): Promise<void> {
  const checks = await Promise.allSettled(rpcUrls.map((_, node) => nodes.verify(node)))
  const errors = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason as unknown] : []))
  if (errors.length < checks.length) return
  const isOther = (error: unknown): error is WrongNodeError =>
    error instanceof WrongNodeError && ['chain', 'genesis'].includes(error.kind)
  if (errors.every(isOther))
    throw new Error(
      `The node of RPC_URL ${errors[0]?.message}. Correct RPC_URL or CHAIN_ID; for another ` +
        'chain, point DATABASE_URL or DATA_DIR to another database, or clear this one with npm run reset',
    )
  log.warn({ err: errors[0] }, 'No node of RPC_URL answers yet')
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
    problem: await findKindProblem(chain.client, deployment, launchpadContracts),
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

/** Says what to do where PostgreSQL ends a session during the start, or the disk of an embedded database is full. */
function explainDatabaseError(error: unknown, { databaseUrl, dataDir }: Config): unknown {
  const problem =
    databaseUrl === null
      ? isDiskFull(error) && describeFolderError(Object.assign(new Error(), { code: 'ENOSPC' }), dataDir)
      : isSessionEnd(error) && findConnectionProblem(error, 'DATABASE_URL', databaseUrl)
  return problem ? new SetupError(problem, { cause: error }) : error
}

/** Whether an error of Node or of PostgreSQL (disk_full) means that the disk is full. */
const isDiskFull = (error: unknown) =>
  ['ENOSPC', '53100'].includes((error as NodeJS.ErrnoException).code ?? '') || /no space left/i.test(String(error))

/** Rejects if the embedded chain or database cannot be written. Without uploads the rest of the service works. */
async function requireFolder(config: Config, log: FastifyBaseLogger): Promise<void> {
  const use = findFolderUse(config)
  const problem = use === 'none' ? null : await findFolderProblem(config.dataDir)
  if (!problem) return
  if (use === 'everything') throw new SetupError(problem)
  log.error(problem, 'Uploads cannot be stored in DATA_DIR')
}

/** Starts the embedded chain when RPC_URL is not set. */
async function openEmbeddedChain(config: Config, log: FastifyBaseLogger): Promise<EmbeddedChain | undefined> {
  if (config.rpcUrls.length > 0) return undefined
  // Imported only when needed.
  const embedded = await import('./dev/embedded-chain.ts')
  return embedded.openEmbeddedChain(config, log)
}
