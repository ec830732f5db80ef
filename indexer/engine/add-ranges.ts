import { sql, type Transaction } from 'kysely'
import { isApplyAwaited } from '../../db/apply-lock.ts'
import { makePartitions } from '../../db/partitions.ts'
import type { Database } from '../../db/schema.ts'
import type { Statements } from '../../db/statements.ts'
import { writeBlocks } from './blocks.ts'
import type { EventWriters } from './event-writers.ts'
import type { FetchedRange } from './ranges-ahead.ts'
import type { RejectedLogs } from './rejected-logs.ts'

/** Takes the next range of a backfill if it is there and accepted. Undefined ends the batch. */
export type TakeRange = (accepts: (range: FetchedRange) => boolean) => Promise<FetchedRange | undefined>

export interface MoreRanges {
  takeRange: TakeRange
  /**
   * No range is added while this many rows wait for the end of the batch: balances, candles and others (200,000). Bounds its
   * memory, and the time of its last statements.
   */
  maxPendingRows?: number
}
const MAX_PENDING_ROWS = 200_000

interface OpenBatch {
  writers: EventWriters
  statements: Statements
  rejected: RejectedLogs
  /** Its last block. */
  to: { number: number; hash: string }
  /** chain_state.undo_count, which does not change under the apply lock. */
  undoCount: number
}

/**
 * Adds the following ranges of a backfill to a batch, so that each row that many events change is written once for all of
 * them. Only ranges that change nothing but by their own events are added: decoded ahead, on the same branch, without a
 * stored block. The batch ends when another transaction waits for the apply lock. Returns the last range added.
 */
export async function addRanges(
  trx: Transaction<Database>,
  { takeRange, maxPendingRows = MAX_PENDING_ROWS }: MoreRanges,
  { writers, statements, rejected, to, undoCount }: OpenBatch,
): Promise<FetchedRange | undefined> {
  const firstStored = await statements.start(findStoredAbove(trx, to.number))
  let last: FetchedRange | undefined
  const accepts = (range: FetchedRange) =>
    writers.pendingRows < maxPendingRows &&
    range.decoded?.undoCount === undoCount &&
    range.to.number < firstStored &&
    follows(range, last?.to ?? to)
  let isAwaited = Promise.resolve(false)
  for (;;) {
    const range = await takeRange(accepts)
    if (!range?.decoded) return last
    last = range
    rejected.addAll(range.decoded.rejected)
    statements.start(makePartitions(trx, range.decoded.blocks))
    await writers.add(range.decoded.events)
    statements.start(writeBlocks(trx, { blocks: range.decoded.blocks, isStored: () => false, isNew: () => true }))
    // Resolves when the range before is written, so the rows of two ranges at most are in memory.
    if (await isAwaited) return last
    isAwaited = statements.start(isApplyAwaited(trx))
  }
}

const follows = ({ blocks: [first] }: FetchedRange, to: OpenBatch['to']): boolean =>
  first !== undefined && (first.number > to.number + 1 || first.parentHash === null || first.parentHash === to.hash)

/** The lowest stored block above a height; Infinity without any. Only receipt syncs store blocks above the checkpoint. */
async function findStoredAbove(trx: Transaction<Database>, height: number): Promise<number> {
  const { rows } = await sql<{ number: number | null }>`
    select min(number) as number from blocks where number > ${height}`.execute(trx)
  return rows[0]?.number ?? Number.POSITIVE_INFINITY
}
