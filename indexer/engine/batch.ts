import type { Log } from '../../chain/logs/log.ts'
import type { ReadPrices } from '../../chain/rates.ts'
import type { LogPosition } from '../../db/queries/positions.ts'

/**
 * A block with those of its logs that may be indexed, in order. In a receipt sync it is the part of a block that is of one
 * transaction.
 */
export interface Block {
  number: number
  hash: string
  /** null for a stored block, and for one that was fetched without its header, which is final. */
  parentHash: string | null
  /** Unix seconds. */
  time: number
  /** USD price of the native coin at the end of the block, USD_DECIMALS decimals; null without a feed. */
  nativeUsd: bigint | null
  /** Prices of other quote assets at the end of the block, as far as they are read from the chain; null without any. */
  quotePrices: ReadPrices | null
  logs: Log[]
}

export type BlockId = Pick<Block, 'number' | 'hash'>

export interface ChainHead {
  number: number
  /** Unix seconds. */
  time: number
}

/** Where a batch of the indexer moves the checkpoint, and from where. */
export interface Advance {
  /** The checkpoint when the batch was fetched. If the database has another one, the batch is stale. */
  from: number
  to: { number: number; hash: string; time: number }
  head: ChainHead
  /** Blocks up to this height are final. */
  finalized: number
  nativeUsd: bigint | null
  quotePrices: ReadPrices | null
  /** Whether the logs of all of its blocks are proven; those of a range are not. */
  isProven?: boolean
  /** chain_state.undo_count before the batch was fetched. If the database has another one, the batch is stale. */
  undoCount?: number
  /** Everything above this height is undone in the same transaction: the fork point of a reorg, or a checkpoint above which stored blocks conflict. */
  undoAbove?: number
  /** Whether the chain was reorganised; default: false. */
  isReorg?: boolean
}

/** The input of applyBatch. */
export interface Batch {
  blocks: Block[]
  /** Other blocks of the same branch. Stored blocks that differ at these heights are undone first. */
  canonicalBlocks?: readonly BlockId[]
  /** Whether it is of the backfill of one contract, which is ordered: a log that lacks a creation is invalid. */
  isHistory?: boolean
  /**
   * How a batch of the indexer moves the checkpoint: it covers every block above `from`, or above `undoAbove`, up to `to`. null: a
   * receipt sync, which has parts of blocks, a correction, or the backfill of one contract; these leave the checkpoint where it is.
   */
  advance: Advance | null
}

/** The block, transaction and log that an event comes from. */
export interface EventContext extends LogPosition {
  txHash: string
  /** Unix seconds. */
  time: number
  /** USD price of the native coin at that block, USD_DECIMALS decimals. */
  nativeUsd: bigint | null
}

export const isSame = (a: LogPosition | undefined, b: LogPosition): boolean =>
  a?.blockNumber === b.blockNumber && a.logIndex === b.logIndex

/** Whether a is later than b; every position is later than none. */
export function isAfter(a: LogPosition, b: LogPosition | null | undefined): boolean {
  if (!b) return true
  return a.blockNumber !== b.blockNumber ? a.blockNumber > b.blockNumber : a.logIndex > b.logIndex
}
