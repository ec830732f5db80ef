// Saves 13 % of a backfill (`npm run bench:indexer`): each row that many events change is written once for many ranges.
import { sql, type Transaction } from 'kysely'
import { isApplyAwaited } from '../../db/apply-lock.ts'
import { makePartitions } from '../../db/partitions.ts'
import type { Database } from '../../db/schema.ts'
import { type ExtendBatch, type FetchedRange, isLinkedTo, type OpenBatch } from '../engine/backfill.ts'
import type { BlockId } from '../engine/batch.ts'
import { writeBlocks } from '../engine/blocks.ts'

/** Takes the next range of a backfill if it is there and accepted. Undefined ends the batch. */
export type TakeRange = (accepts: (range: FetchedRange) => boolean) => Promise<FetchedRange | undefined>

export interface ExtensionOptions {
  takeRange: TakeRange
  /**
   * No range is added while this many rows wait for the end of the batch: balances, candles and others (200,000). Bounds its
   * memory, and the time of its last statements.
   */
  maxPendingRows?: number | undefined
  /** No range is added after this time in milliseconds (10 s), so that a crash loses little, and the checkpoint moves. */
  maxMs?: number | undefined
}
const MAX_PENDING_ROWS = 200_000
const MAX_MS = 10_000

/** What decides which ranges can follow a batch. It does not change under the apply lock. */
interface Following extends ExtensionOptions {
  /** The last block of the batch. */
  to: BlockId
  /** chain_state.undo_count */
  undoCount: number
  /** The lowest stored block above `to`; Infinity without any. */
  firstStored: number
}

/** Prepares to add the ranges that follow a batch. */
export async function openExtension(
  trx: Transaction<Database>,
  batch: Pick<Following, 'to' | 'undoCount'>,
  options: ExtensionOptions,
): Promise<ExtendBatch> {
  // Only receipt syncs store blocks above the checkpoint.
  const { rows } = await sql<{ first: number | null }>`
    select min(number) as first from blocks where number > ${batch.to.number}`.execute(trx)
  const firstStored = rows[0]?.first ?? Number.POSITIVE_INFINITY
  return (open) => extendBatch(open, { ...options, ...batch, firstStored })
}

/**
 * Adds the following ranges of a backfill to a batch, so that each row that many events change is written once for all of
 * them. Only ranges whose rows follow from their own events are added: decoded ahead, on the same branch, without a stored
 * block. The batch ends when another transaction waits for the apply lock.
 */
async function extendBatch(
  { trx, writers, statements, rejected }: OpenBatch,
  { takeRange, maxPendingRows = MAX_PENDING_ROWS, maxMs = MAX_MS, to, undoCount, firstStored }: Following,
): Promise<FetchedRange | undefined> {
  const deadline = performance.now() + maxMs
  let last: FetchedRange | undefined
  const accepts = (range: FetchedRange) =>
    performance.now() < deadline &&
    writers.pendingRows < maxPendingRows &&
    range.decoded?.undoCount === undoCount &&
    range.to.number < firstStored &&
    isLinkedTo(range, last?.to ?? to)
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
