import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain } from '../chain/rpc/client.ts'
import { isNodeFailure } from '../chain/rpc/node-failure.ts'
import { watchHeads } from '../chain/rpc/watch-heads.ts'
import type { Config } from '../config/config.ts'
import type { OpenDatabase, Transact } from '../db/client.ts'
import { isUnreachable } from '../db/postgres/connection-problem.ts'
import { PROCESS_NAME } from '../db/process-name.ts'
import { trimOutbox } from '../db/queries/outbox.ts'
import { trimRevokedTokens } from '../db/queries/revoked-tokens.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../lib/auth/token-claims.ts'
import { MAX_TROUBLE_MS, type Trouble } from '../lib/cache/indexer-trouble.ts'
import { StallWatch } from '../lib/concurrency/stall-watch.ts'
import { runThinning } from './archive/thin.ts'
import { markHeapInPauses } from './backfill/mark-heap-in-pauses.ts'
import { openBackfill } from './backfill/open-backfill.ts'
import type { Applied } from './engine/apply.ts'
import type { Difference } from './engine/compare-blocks.ts'
import { type Contracts, prepareChainState, WrongChainError } from './engine/contracts.ts'
import { backfillDeployments } from './engine/deployments/backfill-deployments.ts'
import { hasAdded } from './engine/deployments/follow-added.ts'
import { type AroundStep, Follower } from './engine/follow.ts'
import { type Lease, LeaseLostError, tryLease } from './engine/lease.ts'
import { runReadRetries } from './engine/reads/retry-reads.ts'
import { recoverLogs } from './engine/recover-logs.ts'
import { rebuildOutdated } from './engine/reindex.ts'
import { runProofs } from './engine/run-proofs.ts'
import { WriteFailureReport } from './engine/write-failure.ts'

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 15_000
/** While PostgreSQL is gone: a failover takes seconds. */
const DATABASE_RETRY_MS = 2_000
const STANDBY_POLL_MS = 1_000
const PROGRESS_MS = 2_000
const TRIM_MS = 10_000
/** Between looks for contracts that operators have added. */
const ADDED_MS = 500
const CHECK_MS = 2_500
/** Steps in a row that end without a result, as during a reorg, before there is a pause between them. */
const MAX_QUICK_RETRIES = 5

export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface IndexerServices {
  database: OpenDatabase
  chain: Chain
  config: Config
  log: Logger
  getContracts: () => Promise<Contracts>
  onApplied?: (applied: Applied) => void
  /** Called for each indexed block that differs from the chain. */
  onDifference?: (difference: Difference) => void
  /** Called after each failure with its public reason and the time of the last success, and with null after the next success. */
  onTrouble?: (trouble: Trouble | null) => void
  aroundStep?: AroundStep
}

export interface Indexer {
  status(): { role: 'leading' | 'standby' | 'starting' | 'stopped'; failures: number }
  /** Finishes the current batch, and releases the lease. */
  stop(): Promise<void>
  /** Rejects if the database is of another chain; resolves after stop. */
  ended: Promise<void>
}

/**
 * Follows the chain until stopped. Only the holder of the lease indexes; other processes stand by and take over when
 * its heartbeat stops. Failures of the node or database are retried with exponential backoff.
 */
export function startIndexer(services: IndexerServices): Indexer {
  const stopping = new AbortController()
  const status: Status = { role: 'starting', failures: 0 }
  const progress = watchStalls(services)
  progress.start(stopping.signal)
  const ended = run(services, stopping.signal, { status, progress, reached: 0 })
  return {
    status: () => ({ role: status.role, failures: status.failures }),
    stop: async () => {
      stopping.abort()
      await ended.catch(() => {})
    },
    ended,
  }
}

type Status = ReturnType<Indexer['status']>

/** What the process reports about its indexer. */
interface Reports {
  status: Status
  progress: StallWatch
  /** The last block that this process has indexed; 0 before the first. */
  reached: number
}

/** Reports an indexer that fails, hangs or finds nothing certain, with node and method if a node is to blame. Public. */
function watchStalls({ chain, log, onTrouble }: IndexerServices): StallWatch {
  let isLogged = false
  return new StallWatch({
    limitMs: MAX_TROUBLE_MS,
    checkMs: CHECK_MS,
    explain: () => chain.nodes.describeProblems().join('; ') || 'a step does not end: see the log of the indexer',
    report: (trouble) => {
      onTrouble?.(trouble)
      const isStalled = trouble !== null && Date.now() - trouble.since >= MAX_TROUBLE_MS
      if (isStalled && !isLogged) log.error(trouble, 'The indexer makes no progress')
      isLogged = isStalled
    },
  })
}

function describeFailure(error: unknown, { chain }: IndexerServices): string {
  if (!isNodeFailure(error)) return 'see the log of the indexer'
  return chain.nodes.describeProblems().join('; ') || 'the nodes of RPC_URL give no usable answer'
}

async function run(services: IndexerServices, signal: AbortSignal, reports: Reports): Promise<void> {
  const { status, progress } = reports
  const { log, database } = services
  const failure = new WriteFailureReport(database.lease)
  while (!signal.aborted) {
    try {
      await leadOrWait(services, signal, reports, failure)
    } catch (error) {
      if (error instanceof WrongChainError) throw error
      await failure.report(error)
      status.failures += 1
      progress.fail(describeFailure(error, services))
      const last = isUnreachable(error) ? DATABASE_RETRY_MS : LAST_RETRY_MS
      const delay = Math.min(last, FIRST_RETRY_MS * 2 ** Math.min(status.failures - 1, 10))
      log.warn({ err: error, retryInMs: delay }, 'The indexer failed; retrying')
      await pause(delay * (0.5 + Math.random() / 2), signal)
    }
  }
  status.role = 'stopped'
}

async function leadOrWait(
  services: IndexerServices,
  signal: AbortSignal,
  reports: Reports,
  failure: WriteFailureReport,
): Promise<void> {
  const { database, log } = services
  const { status, progress } = reports
  const lease = await tryLease(database, log)
  if (!lease) {
    if (status.role !== 'standby') log.info({}, 'Another indexer is active; standing by')
    status.role = 'standby'
    // The active one reports for itself.
    progress.rest()
    await failure.clear()
    await pause(STANDBY_POLL_MS, signal)
    return
  }
  progress.begin()
  try {
    // Again whenever operators have added a contract.
    while (!signal.aborted && lease.isHeld()) await lead(services, lease, signal, reports, failure)
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error
    progress.rest()
    log.warn({}, 'Another indexer has taken over')
  } finally {
    // Another process may hold the lease until this one acquires it again.
    status.role = 'starting'
    progress.pause()
    await lease.release()
  }
}

async function lead(
  services: IndexerServices,
  lease: Lease,
  signal: AbortSignal,
  reports: Reports,
  failure: WriteFailureReport,
): Promise<void> {
  const { status, progress } = reports
  const { chain, config, database, getContracts, log } = services
  const configured = await getContracts()
  // Every write is fenced by the lease.
  const transact: Transact = (work) =>
    database.indexer.transaction().execute(async (trx) => {
      await lease.fence(trx)
      return work(trx)
    })
  const contracts = await prepareChainState(database.indexer, chain, configured, config, transact)
  await progress.exclude(() => rebuildOutdated(database.indexer, contracts.modules, log, lease.fence))
  const { checkpoint_number: checkpoint } = await database.indexer
    .selectFrom('chain_state')
    .select('checkpoint_number')
    .executeTakeFirstOrThrow()
  if (checkpoint < reports.reached)
    log.warn(
      { from: reports.reached, to: checkpoint },
      'The checkpoint is lower than before, as after a reorg that another process undid, or a failover that lost commits; indexing its blocks again',
    )
  if (status.role !== 'leading')
    log.info({ startBlock: contracts.startBlock, holder: PROCESS_NAME, token: lease.token }, 'Indexing')
  status.role = 'leading'
  const report = makeProgressReport(services)
  let retries = 0
  const guarded: Transact = (work) => progress.exclude(() => transact(work))
  const shared = {
    db: database.indexer,
    transact: guarded,
    chain,
    contracts,
  }
  const backfill = openBackfill({
    ...shared,
    databaseKind: database.kind,
    signal,
    onIndex: (index) => {
      progress.progress()
      log.info({ index }, 'Created an index after the backfill')
    },
  })
  const follower = new Follower({
    ...shared,
    finality: config.finality,
    backfill,
    around: (kind, work) => {
      const { aroundStep = (_kind, inner) => inner() } = services
      return aroundStep(kind, () => markHeapInPauses(kind, work))
    },
    onRetry: ({ message }) => {
      retries += 1
      progress.note(`its steps find nothing certain: ${message}`)
    },
    onApplied: (applied) => {
      retries = 0
      reports.reached = applied.advance?.to.number ?? reports.reached
      progress.progress()
      report(applied)
      services.onApplied?.(applied)
    },
  })
  const alarm = createAlarm(signal)
  const watching = new AbortController()
  const leaving = AbortSignal.any([signal, watching.signal])
  if (config.rpcSocketUrl !== null) {
    watchHeads(config.rpcSocketUrl, alarm.ring, leaving, {
      identities: chain.nodes.identities,
      onWrong: (reason) => log.warn({ reason }, 'The node of RPC_SOCKET_URL is not used; the head is polled'),
    })
  }
  let isCaughtUp = false
  let isBackfilling = true
  const backfilling = backfillDeployments({
    ...{ db: database.indexer, chain, contracts, transact, log, signal: leaving },
    onApplied: (applied) => {
      report(applied)
      services.onApplied?.(applied)
    },
  }).finally(() => {
    isBackfilling = false
  })
  const proving = runProofs({
    db: database.indexer,
    chain,
    contracts,
    fence: lease.fence,
    transact,
    requestsPerSecond: config.proofRequestsPerSecond,
    log,
    // What a backfill has not reached would be taken for missing.
    isCaughtUp: () => isCaughtUp && !isBackfilling && lease.isHeld(),
    signal: leaving,
    ...(services.onApplied && { onApplied: services.onApplied }),
    ...(services.onDifference && { onDifference: services.onDifference }),
  })
  const recovery = recoverLogs({
    ...{ db: database.indexer, chain, contracts, fence: lease.fence, transact, log, signal: leaving },
  })
  const rereading = runReadRetries({
    ...{ db: database.indexer, chain, contracts, fence: lease.fence, log, signal: leaving },
    isCaughtUp: () => isCaughtUp && lease.isHeld(),
  })
  const thinning = runThinning({
    db: database.indexer,
    days: config.fineCandleDays,
    isReady: () => isCaughtUp && lease.isHeld(),
    onThinned: (partition) => log.info({ partition }, 'Removed candles shorter than an hour'),
    onError: (err) => log.error({ err }, 'Removing old candles failed; it is tried again in a minute'),
    signal: leaving,
  })
  let [trimmed, checked] = [0, Date.now()]
  try {
    while (!signal.aborted && lease.isHeld()) {
      if (Date.now() - checked > ADDED_MS) {
        if (await hasAdded(database.indexer, contracts.modules)) return
        checked = Date.now()
      }
      if (Date.now() - trimmed > TRIM_MS) {
        await transact((trx) => trimOutbox(trx, config.outboxRetentionSeconds))
        await transact((trx) => trimRevokedTokens(trx, CLOCK_TOLERANCE_SECONDS))
        trimmed = Date.now()
      }
      const outcome = await follower.step()
      status.failures = 0
      isCaughtUp = outcome !== 'again'
      if (outcome === 'idle') progress.progress()
      if (outcome === 'behind') progress.note('the newest block of the nodes is below the last one that is indexed')
      await failure.clear()
      if (isCaughtUp) await alarm.wait(config.pollIntervalMs)
      else if (retries > MAX_QUICK_RETRIES) await pause(FIRST_RETRY_MS, signal)
    }
  } finally {
    watching.abort()
    await Promise.all([backfilling, proving, recovery, rereading, thinning])
  }
}

/** A pause that ring() ends early. A ring between two pauses ends the next one, so no new head is missed. */
function createAlarm(signal: AbortSignal) {
  let rung = false
  let wake = () => {}
  return {
    ring: () => {
      rung = true
      wake()
    },
    wait: async (ms: number) => {
      const waking = new AbortController()
      wake = () => waking.abort()
      if (!rung) await pause(ms, AbortSignal.any([signal, waking.signal]))
      rung = false
    },
  }
}

function makeProgressReport({ log }: IndexerServices): (applied: Applied) => void {
  let last = Date.now()
  let eventCount = 0
  return ({ advance, eventCount: added, undone, rejected }) => {
    eventCount += added
    const { unquoted, ...others } = rejected
    if (rejected.count > 0) log.warn(others, 'Ignored invalid contract logs')
    if (unquoted.size > 0)
      log.warn(
        { launches: Object.fromEntries(unquoted) },
        'Ignored launches in assets that QUOTES does not name; add them there to follow later launches',
      )
    if (!advance) return
    const { undoAbove, isReorg } = advance
    if (isReorg) log.warn({ forkPoint: undoAbove, undone: undone.length }, 'The chain was reorganised')
    else if (undoAbove !== undefined)
      log.info(
        { undoAbove, undone: undone.length },
        'Stored blocks conflicted with earlier ones; they were applied again',
      )
    const elapsed = Date.now() - last
    const behind = advance.head.number - advance.to.number
    if (elapsed < PROGRESS_MS || (behind === 0 && eventCount === 0)) return
    const eventsPerSecond = Math.round((eventCount * 1_000) / elapsed)
    log.info({ block: advance.to.number, behind, eventsPerSecond }, 'Indexed')
    last = Date.now()
    eventCount = 0
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
