import { isNodeFailure } from '../chain/rpc/node-failure.ts'
import type { Transact } from '../db/client.ts'
import { isUnreachable } from '../db/postgres/connection-problem.ts'
import { PROCESS_NAME } from '../db/process-name.ts'
import { trimOutbox } from '../db/queries/outbox.ts'
import { trimRevokedTokens } from '../db/queries/revoked-tokens.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../lib/auth/token-claims.ts'
import { MAX_TROUBLE_MS } from '../lib/cache/indexer-trouble.ts'
import { pause } from '../lib/concurrency/pause.ts'
import { StallWatch } from '../lib/concurrency/stall-watch.ts'
import { markHeapInPauses } from './backfill/mark-heap-in-pauses.ts'
import { openBackfill } from './backfill/open-backfill.ts'
import { startBackgroundTasks } from './background-tasks.ts'
import type { Applied } from './engine/apply.ts'
import { type Contracts, prepareChainState } from './engine/contracts.ts'
import { hasAdded } from './engine/deployments/follow-added.ts'
import { LeaseLostError, WrongChainError } from './engine/errors.ts'
import { Follower } from './engine/follow.ts'
import { type Lease, tryLease } from './engine/lease.ts'
import { rebuildOutdated } from './engine/reindex.ts'
import { WriteFailureReport } from './engine/write-failure.ts'
import type { IndexerServices } from './services.ts'

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

interface Leadership {
  lease: Lease
  contracts: Contracts
  /** Runs a transaction behind the fence of the lease. */
  transact: Transact
  signal: AbortSignal
  steps: Steps
  onApplied: (applied: Applied) => void
}

interface Steps {
  /** Steps in a row that have ended without a result. */
  retries: number
  /** Whether the last step found nothing more to do at once. */
  isCaughtUp: boolean
}

/** Indexes until the lease is lost, the signal aborts, or operators have added a contract. */
async function lead(
  services: IndexerServices,
  lease: Lease,
  signal: AbortSignal,
  reports: Reports,
  failure: WriteFailureReport,
): Promise<void> {
  const transact: Transact = (work) =>
    services.database.indexer.transaction().execute(async (trx) => {
      await lease.fence(trx)
      return work(trx)
    })
  const contracts = await prepare(services, lease, transact, reports)
  if (reports.status.role !== 'leading')
    services.log.info({ startBlock: contracts.startBlock, holder: PROCESS_NAME, token: lease.token }, 'Indexing')
  reports.status.role = 'leading'
  const logProgress = makeProgressLog(services)
  const leadership: Leadership = {
    ...{ lease, contracts, transact, signal },
    steps: { retries: 0, isCaughtUp: false },
    onApplied: (applied) => {
      logProgress(applied)
      services.onApplied?.(applied)
    },
  }
  const follower = openFollower(services, leadership, reports)
  const alarm = createAlarm(signal)
  const stopTasks = startBackgroundTasks(services, {
    ...leadership,
    isCaughtUp: () => leadership.steps.isCaughtUp,
    onHead: alarm.ring,
  })
  try {
    await repeatSteps(services, leadership, reports, { follower, alarm, failure })
  } finally {
    await stopTasks()
  }
}

/** Stores the configured contracts, and rebuilds tables that were made by older rules. */
async function prepare(
  { chain, config, database, getContracts, log }: IndexerServices,
  lease: Lease,
  transact: Transact,
  { progress, reached }: Reports,
): Promise<Contracts> {
  const contracts = await prepareChainState(database.indexer, chain, await getContracts(), config, transact)
  await progress.exclude(() => rebuildOutdated(database.indexer, contracts.modules, log, lease.fence))
  const { checkpoint_number: checkpoint } = await database.indexer
    .selectFrom('chain_state')
    .select('checkpoint_number')
    .executeTakeFirstOrThrow()
  if (checkpoint < reached)
    log.warn(
      { from: reached, to: checkpoint },
      'The checkpoint is lower than before, as after a reorg that another process undid, or a failover that lost commits; indexing its blocks again',
    )
  return contracts
}

function openFollower(
  { chain, config, database, log, aroundStep = (_kind, work) => work() }: IndexerServices,
  { contracts, transact, signal, steps, onApplied }: Leadership,
  reports: Reports,
): Follower {
  const { progress } = reports
  const guarded: Transact = (work) => progress.exclude(() => transact(work))
  const shared = { db: database.indexer, chain, contracts, transact: guarded }
  const backfill = openBackfill({
    ...shared,
    databaseKind: database.kind,
    signal,
    onIndex: (index) => {
      progress.progress()
      log.info({ index }, 'Created an index after the backfill')
    },
  })
  return new Follower({
    ...shared,
    finality: config.finality,
    backfill,
    around: (kind, work) => aroundStep(kind, () => markHeapInPauses(kind, work)),
    onRetry: ({ message }) => {
      steps.retries += 1
      progress.note(`its steps find nothing certain: ${message}`)
    },
    onApplied: (applied) => {
      steps.retries = 0
      reports.reached = applied.advance?.to.number ?? reports.reached
      progress.progress()
      onApplied(applied)
    },
  })
}

interface Loop {
  follower: Follower
  alarm: Alarm
  failure: WriteFailureReport
}

/** Calls one step of the follower after another, and removes old rows of the outbox and of revoked tokens between them. */
async function repeatSteps(
  { config, database }: IndexerServices,
  { contracts, lease, signal, steps, transact }: Leadership,
  { status, progress }: Reports,
  { follower, alarm, failure }: Loop,
): Promise<void> {
  let [trimmed, checked] = [0, Date.now()]
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
    steps.isCaughtUp = outcome !== 'again'
    if (outcome === 'idle') progress.progress()
    if (outcome === 'behind') progress.note('the newest block of the nodes is below the last one that is indexed')
    await failure.clear()
    if (steps.isCaughtUp) await alarm.wait(config.pollIntervalMs)
    else if (steps.retries > MAX_QUICK_RETRIES) await pause(FIRST_RETRY_MS, signal)
  }
}

interface Alarm {
  ring(): void
  wait(ms: number): Promise<void>
}

/** A pause that ring() ends early. A ring between two pauses ends the next one, so no new head is missed. */
function createAlarm(signal: AbortSignal): Alarm {
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

function makeProgressLog({ log }: IndexerServices): (applied: Applied) => void {
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
