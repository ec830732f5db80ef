import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain } from '../../chain/client.ts'
import { watchHeads } from '../../chain/watch-heads.ts'
import type { Config } from '../../config.ts'
import type { OpenDatabase, Transact } from '../../db/client.ts'
import { PROCESS_NAME } from '../../db/process-name.ts'
import { trimOutbox } from '../../db/queries/outbox.ts'
import { trimRevokedTokens } from '../../db/queries/revoked-tokens.ts'
import type { Applied } from './apply.ts'
import { type Contracts, prepareChainState, WrongChainError } from './contracts.ts'
import { type AroundStep, Follower } from './follow.ts'
import { type Lease, LeaseLostError, tryLease } from './lease.ts'
import { rebuildOutdated } from './reindex.ts'

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 15_000
const STANDBY_POLL_MS = 1_000
const PROGRESS_MS = 2_000
const TRIM_MS = 10_000

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
  const status: ReturnType<Indexer['status']> = { role: 'starting', failures: 0 }
  const ended = run(services, stopping.signal, status)
  return {
    status: () => ({ ...status }),
    stop: async () => {
      stopping.abort()
      await ended.catch(() => {})
    },
    ended,
  }
}

async function run(
  services: IndexerServices,
  signal: AbortSignal,
  status: ReturnType<Indexer['status']>,
): Promise<void> {
  const { log } = services
  while (!signal.aborted) {
    try {
      await leadOrWait(services, signal, status)
    } catch (error) {
      if (error instanceof WrongChainError) throw error
      status.failures += 1
      const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(status.failures - 1, 10))
      log.warn({ err: error, retryInMs: delay }, 'The indexer failed; retrying')
      await pause(delay * (0.5 + Math.random() / 2), signal)
    }
  }
  status.role = 'stopped'
}

async function leadOrWait(
  services: IndexerServices,
  signal: AbortSignal,
  status: ReturnType<Indexer['status']>,
): Promise<void> {
  const { database, log } = services
  const lease = await tryLease(database, log)
  if (!lease) {
    if (status.role !== 'standby') log.info({}, 'Another indexer is active; standing by')
    status.role = 'standby'
    await pause(STANDBY_POLL_MS, signal)
    return
  }
  try {
    await lead(services, lease, signal, status)
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error
    log.warn({}, 'Another indexer has taken over')
  } finally {
    // Another process may hold the lease until this one acquires it again.
    status.role = 'starting'
    await lease.release()
  }
}

async function lead(
  services: IndexerServices,
  lease: Lease,
  signal: AbortSignal,
  status: ReturnType<Indexer['status']>,
): Promise<void> {
  const { chain, config, database, getContracts, log } = services
  const configured = await getContracts()
  // Every write is fenced by the lease.
  const transact: Transact = (work) =>
    database.indexer.transaction().execute(async (trx) => {
      await lease.fence(trx)
      return work(trx)
    })
  const contracts = await prepareChainState(database.indexer, chain, configured, config, transact)
  await rebuildOutdated(database.indexer, log, lease.fence)
  if (status.role !== 'leading')
    log.info({ startBlock: contracts.startBlock, holder: PROCESS_NAME, token: lease.token }, 'Indexing')
  status.role = 'leading'
  const report = makeProgressReport(services)
  const follower = new Follower({
    db: database.indexer,
    transact,
    chain,
    contracts,
    finality: config.finality,
    databaseKind: database.kind,
    signal,
    ...(services.aroundStep && { around: services.aroundStep }),
    onIndex: (index) => log.info({ index }, 'Created an index after the backfill'),
    onApplied: (applied) => {
      report(applied)
      services.onApplied?.(applied)
    },
  })
  const alarm = createAlarm(signal)
  const watching = new AbortController()
  if (config.rpcSocketUrl !== null) {
    watchHeads(config.rpcSocketUrl, alarm.ring, AbortSignal.any([signal, watching.signal]))
  }
  let trimmed = 0
  try {
    while (!signal.aborted && lease.isHeld()) {
      if (Date.now() - trimmed > TRIM_MS) {
        await transact((trx) => trimOutbox(trx, config.outboxRetentionSeconds))
        await transact(trimRevokedTokens)
        trimmed = Date.now()
      }
      const outcome = await follower.step()
      status.failures = 0
      if (outcome === 'idle') await alarm.wait(config.pollIntervalMs)
    }
  } finally {
    watching.abort()
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
    if (!advance) return
    if (rejected.count > 0) log.warn(rejected, 'Ignored invalid contract logs')
    if (advance.forkPoint !== undefined) {
      log.warn({ forkPoint: advance.forkPoint, undone: undone.length }, 'The chain was reorganised')
    }
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
