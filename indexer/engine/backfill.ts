import type { Transaction } from 'kysely'
import type { ReadPrices } from '../../chain/rates.ts'
import type { Header } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import type { Statements } from '../../db/postgres/pipeline.ts'
import type { Database } from '../../db/schema.ts'
import type { Block, BlockId } from './batch.ts'
import type { DecodedBlocks } from './decode.ts'
import { ChainMovedError } from './errors.ts'
import type { EventWriters } from './event-writers.ts'
import type { Fetcher, RangeLogs } from './fetch.ts'
import type { RejectedLogs } from './rejected-logs.ts'

/** Consecutive blocks that are final, ready to be applied. */
export interface FetchedRange {
  blocks: Block[]
  /** Header of the last block. */
  to: Header
  /** The price after it. */
  nativeUsd: bigint | null
  quotePrices: ReadPrices | null
  decoded?: DecodedAhead | undefined
}

/** Whether a range is of the same branch as a block before it, as far as its headers were read. hash: null if it is unknown. */
export const isLinkedTo = (
  { blocks: [first] }: Pick<FetchedRange, 'blocks'>,
  before: { number: number; hash: string | null },
): boolean =>
  before.hash === null || (first !== undefined && (first.parentHash === null || first.parentHash === before.hash))

/** Blocks whose decoders were opened before their transaction. Valid if none of the blocks is stored when they are applied. */
export interface DecodedAhead extends DecodedBlocks {
  /** chain_state.undo_count before: an undo since then may have changed what decoding depends on. */
  undoCount: number
}

/** A batch in the transaction that writes it. */
export interface OpenBatch {
  trx: Transaction<Database>
  writers: EventWriters
  statements: Statements
  rejected: RejectedLogs
}

/** Adds further blocks to a batch whose own are written. Returns the last range added; undefined if there was none. */
export type ExtendBatch = (batch: OpenBatch) => Promise<FetchedRange | undefined>

/**
 * What makes the backfill of a long chain fast. The engine is correct without it: then each range of blocks is requested, decoded
 * and committed by itself, one after another.
 */
export interface Backfill {
  /**
   * The final blocks after the checkpoint, up to the height `limit` at most. Rejects with the first error of fetching or decoding;
   * clear then.
   */
  take(checkpoint: { number: number; hash: string | null }, limit: number): Promise<FetchedRange>
  /** Called in the transaction of what `take` returned, before it is written. Undefined if the batch is not extended. */
  openExtension(trx: Transaction<Database>, batch: { to: BlockId; undoCount: number }): Promise<ExtendBatch | undefined>
  /** What is left to do when all final blocks are indexed, such as creating indexes. Null if that is nothing. */
  findRemainder(): Promise<(() => Promise<void>) | null>
  /** Drops what was fetched: it may be of an orphaned branch, or follow a former checkpoint. */
  clear(): void
}

/**
 * Heights in a range whose headers are compared with what is stored: its ends, and blocks that a receipt sync has stored, which
 * may be orphaned since. `after`: the height before the range.
 */
export async function findComparedHeights(db: Db, after: number, to: number): Promise<number[]> {
  const stored = await db
    .selectFrom('blocks')
    .select('number')
    .where('number', '>', after)
    .where('number', '<=', to)
    .execute()
  return [after + 1, to, ...stored.map(({ number }) => number)]
}

/** The blocks of a requested range that have logs, and those at the given heights. */
export async function makeRange(
  fetcher: Pick<Fetcher, 'makeBlocks'>,
  requested: RangeLogs,
  heights: readonly number[],
): Promise<FetchedRange> {
  const { to } = requested.range
  // The range may end at another height than was wanted.
  const within = heights.filter((height) => height < to)
  const blocks = await fetcher.makeBlocks(requested, [...within, to])
  const last = blocks.at(-1)
  if (last?.number !== to) throw new ChainMovedError(`Block ${to} is gone`)
  return {
    blocks,
    to: { ...last, parentHash: last.parentHash ?? '' },
    nativeUsd: last.nativeUsd,
    quotePrices: last.quotePrices,
  }
}
