import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Hex } from 'viem'
import { readRecords } from '../../chain/logs/log.ts'
import type { PackedLogs } from '../../chain/logs/log-reader.ts'
import type { Chain } from '../../chain/rpc/client.ts'
import type { Db, Transact } from '../../db/client.ts'
import { pause } from '../../lib/concurrency/pause.ts'
import { readStored } from './blocks.ts'
import type { Contracts } from './contracts.ts'
import { LeaseLostError } from './errors.ts'
import type { Lease } from './lease.ts'
import type { Recoverable } from './module.ts'
import { repair } from './repair.ts'

/** In blocks; the first range is small, because a chain may be dense. */
const [FIRST_SPAN, MAX_SPAN] = [1_000, 100_000]
/** Target number of logs in a range. */
const RANGE_LOGS = 20_000
/** Stored blocks that are unpacked at a time, a few milliseconds' work. */
const BLOCKS_AT_ONCE = 200
const PROGRESS_MS = 5_000
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [1_000, 60_000]

interface RecoveryOptions {
  db: Db
  chain: Chain
  contracts: Contracts
  fence: Lease['fence']
  /** Runs the transactions that store progress, behind the fence. */
  transact: Transact
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  signal: AbortSignal
  /** Length of the first range in blocks; for tests. */
  firstSpan?: number
}

/** chain_state.recovery: {} before the first range. */
interface Recovery {
  /** Logs up to this block are compared. */
  block: number
  /** The last block that an earlier version may have indexed in a range. */
  to: number
  recoveredLogs: number
}

interface Found {
  topics: readonly Hex[]
  contracts: readonly Recoverable[]
}

/**
 * Compares the logs of contracts whose logs earlier versions may have dropped with the chain, and repairs the blocks in which
 * some are missing. It runs once in the life of a database, beside the indexer, and continues where it was interrupted.
 * Resolves when it is done or the signal aborts; failures of the node or the database are retried.
 */
export async function recoverLogs(options: RecoveryOptions): Promise<void> {
  const { log, signal } = options
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await run(options)
      return
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLostError) return
      const retryInMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10))
      log.warn({ err: error, retryInMs }, 'The recovery of dropped logs failed; retrying')
      await pause(retryInMs, signal)
    }
  }
}

async function run(options: RecoveryOptions): Promise<void> {
  const { db, log, signal, firstSpan = FIRST_SPAN } = options
  const state = await db.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
  if (state.recovery === null) return
  const stored = state.recovery as unknown as Partial<Recovery>
  // Blocks that are not final were fetched one by one, and decoded when they were applied.
  const { to = Math.min(state.checkpoint_number, state.finalized_number), recoveredLogs = 0 } = stored
  const found = await findRecoverable(options, to)
  const first = Math.min(...found.flatMap(({ contracts }) => contracts.map(({ since }) => since)))
  const recovery: Recovery = { block: stored.block ?? Math.min(first - 1, to), to, recoveredLogs }
  if (recovery.block < to) {
    log.info({ ...recovery }, 'Comparing the logs of pools with the chain: an earlier version may have dropped some')
    await store(options, recovery)
  }
  let span = firstSpan
  let reported = Date.now()
  while (recovery.block < to && !signal.aborted) {
    const range = { from: recovery.block + 1, to: Math.min(recovery.block + span, to) }
    const { count, missing } = await compareRange(options, found, range)
    for (const { from, to } of toRuns(missing)) recovery.recoveredLogs += await repairBlocks(options, from, to)
    recovery.block = range.to
    await store(options, recovery)
    const wanted = Math.round((span * RANGE_LOGS) / Math.max(count, 1))
    span = Math.min(MAX_SPAN, Math.max(1, Math.min(wanted, span * 4)))
    if (Date.now() - reported < PROGRESS_MS) continue
    reported = Date.now()
    log.info({ ...recovery }, 'Comparing the logs of pools with the chain')
  }
  if (signal.aborted) return
  await store(options, null)
  if (recovery.recoveredLogs > 0)
    log.warn({ ...recovery }, 'Recovered logs of pools that an earlier version had dropped')
  else log.info({ ...recovery }, 'No log of a pool is missing')
}

/** Those that are indexed from a block up to `to` on. */
async function findRecoverable({ db, contracts: { modules } }: RecoveryOptions, to: number): Promise<Found[]> {
  const found: Found[] = []
  for (const { created } of modules) {
    if (!created?.recoverable) continue
    const contracts = await created.recoverable.list(db)
    found.push({ topics: created.recoverable.topics, contracts: contracts.filter(({ since }) => since <= to) })
  }
  return found
}

/** Number of logs in a range, and the blocks in which a log is not stored. */
async function compareRange(
  { db, chain }: RecoveryOptions,
  found: readonly Found[],
  range: { from: number; to: number },
): Promise<{ count: number; missing: Set<number> }> {
  const missing = new Set<number>()
  let count = 0
  for (const { topics, contracts } of found) {
    const since = new Map(contracts.filter((one) => one.since <= range.to).map((one) => [one.address, one.since]))
    const logs = await chain.getPackedLogs({ address: [...since.keys()], topics, range }, { inWorker: true })
    count += logs.blocks.reduce((sum, block) => sum + block.count, 0)
    for (const number of await findMissing(db, logs, since)) missing.add(number)
  }
  return { count, missing }
}

/** The blocks with logs that are not stored. since: the block from which on logs of a contract are indexed. */
async function findMissing(
  db: Db,
  { blocks, bytes }: PackedLogs,
  since: ReadonlyMap<string, number>,
): Promise<number[]> {
  const missing: number[] = []
  for (let at = 0; at < blocks.length; at += BLOCKS_AT_ONCE) {
    const some = blocks.slice(at, at + BLOCKS_AT_ONCE)
    const stored = await readStored(
      db,
      some.map(({ number }) => number),
    )
    for (const { number, start, count } of some) {
      const known = new Set(stored.get(number)?.logs.map(({ logIndex }) => logIndex))
      const isMissing = readRecords(bytes, start, count).some(
        ({ address, logIndex }) => number >= (since.get(address) ?? Number.POSITIVE_INFINITY) && !known.has(logIndex),
      )
      if (isMissing) missing.push(number)
    }
    await setImmediate()
  }
  return missing
}

/** Consecutive heights as ranges, in ascending order. */
export function toRuns(heights: Iterable<number>): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = []
  for (const height of [...heights].sort((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last?.to === height - 1) last.to = height
    else runs.push({ from: height, to: height })
  }
  return runs
}

/** Returns the number of logs that were missing. The blocks are fetched by hash and proven. */
async function repairBlocks(options: RecoveryOptions, from: number, to: number): Promise<number> {
  const { db, chain, contracts, fence, log } = options
  const { missingLogs } = await repair({ db, chain, contracts, fence, from, to })
  if (missingLogs > 0) log.warn({ from, to, missingLogs }, 'Applied logs that were missing')
  return missingLogs
}

async function store({ transact }: RecoveryOptions, recovery: Recovery | null): Promise<void> {
  const value = recovery === null ? null : JSON.stringify(recovery)
  await transact((trx) => sql`update chain_state set recovery = ${value}::jsonb`.execute(trx))
}
