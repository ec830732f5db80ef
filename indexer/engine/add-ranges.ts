import { sql, type Transaction } from 'kysely'
import { isApplyAwaited } from '../../db/apply-lock.ts'
import { makePartitions } from '../../db/partitions.ts'
import type { Database } from '../../db/schema.ts'
import type { Statements } from '../../db/statements.ts'
import { writeBlocks } from './blocks.ts'
import type { EventWriters } from './event-writers.ts'
import { type FetchedRange, follows } from './ranges-ahead.ts'
import type { RejectedLogs } from './rejected-logs.ts'

export type Accepts = (range: FetchedRange) => boolean
/** Takes the next range of a backfill if it is there and accepted. Undefined ends the batch. */
export type TakeRange = (accepts: Accepts) => Promise<FetchedRange | undefined>

export interface MoreRanges {
  takeRange: TakeRange
  /**
   * No range is added while this many rows wait for the end of the batch: balances, candles and others (200,000). Bounds its
   * memory, and the time of its last statements.
   */
  maxPendingRows?: number
  /** No range is added after this time in milliseconds (10 s), so that a crash loses little, and the checkpoint moves. */
  maxMs?: number
}
const MAX_PENDING_ROWS = 200_000
const MAX_MS = 10_000

/** What decides which ranges can follow a batch. It does not change under the apply lock. */
interface Following extends MoreRanges {
  /** The last block of the batch. */
  to: { number: number; hash: string }
  /** chain_state.undo_count */
  undoCount: number
  /** The lowest stored block above `to`; Infinity without any. */
  firstStored: number
}

interface OpenBatch {
  writers: EventWriters
  statements: Statements
  rejected: RejectedLogs
}

/** Only receipt syncs store blocks above the checkpoint. */
export async function openFollowing(
  trx: Transaction<Database>,
  more: MoreRanges,
  to: Following['to'],
): Promise<Following> {
  const { rows } = await sql<{ undo_count: number; first: number | null }>`
    select undo_count, (select min(number) from blocks where number > ${to.number}) as first from chain_state`.execute(
    trx,
  )
  const { undo_count: undoCount = 0, first = null } = rows[0] ?? {}
  return { ...more, to, undoCount, firstStored: first ?? Number.POSITIVE_INFINITY }
}

/**
 * Adds the following ranges of a backfill to a batch, so that each row that many events change is written once for all of
 * them. Only ranges whose rows follow from their own events are added: decoded ahead, on the same branch, without a stored
 * block. The batch ends when another transaction waits for the apply lock. Returns the last range added.
 */
export async function addRanges(
  trx: Transaction<Database>,
  { takeRange, maxPendingRows = MAX_PENDING_ROWS, maxMs = MAX_MS, to, undoCount, firstStored }: Following,
  { writers, statements, rejected }: OpenBatch,
): Promise<FetchedRange | undefined> {
  const deadline = performance.now() + maxMs
  let last: FetchedRange | undefined
  const accepts = (range: FetchedRange) =>
    performance.now() < deadline &&
    writers.pendingRows < maxPendingRows &&
    range.decoded?.undoCount === undoCount &&
    range.to.number < firstStored &&
    follows(range, last?.to ?? to)
  let isAwaited = false
  const checkLock = async () => {
    isAwaited = await isApplyAwaited(trx)
  }
  let written = statements.start(checkLock())
  while (!isAwaited) {
    const range = await takeRange(accepts)
    if (!range?.decoded) break
    last = range
    statements.start(makePartitions(trx, range.decoded.blocks))
    await writers.addParts(range.decoded.parts)
    rejected.addAll(range.decoded.rejected)
    statements.start(writeBlocks(trx, { blocks: range.decoded.blocks, isStored: () => false, isNew: () => true }))
    // Bounds the rows in memory: what was added before this range is written.
    await written
    written = statements.start(checkLock())
  }
  return last
}
