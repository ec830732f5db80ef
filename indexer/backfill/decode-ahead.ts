import type { Db } from '../../db/client.ts'
import type { DecodedAhead } from '../engine/backfill.ts'
import type { Block } from '../engine/batch.ts'
import { type DecodedBlocks, type DecodedEvents, decodeNewLogs, openDecoders } from '../engine/decode.ts'
import { backfillingColumn } from '../engine/deployments/follow-added.ts'
import { OutOfOrderError } from '../engine/errors.ts'
import type { IndexedContracts } from '../engine/module.ts'
import { RejectedLogs } from '../engine/rejected-logs.ts'

/**
 * Prepares a batch to be decoded before earlier ones are committed. uncommitted: the creations of all blocks between those that
 * are committed and these; see openDecoders. The result is valid if no block of the batch is stored when it is applied.
 * Undefined if the blocks cannot be decoded in this order.
 */
export async function decodeAhead(
  db: Db,
  contracts: IndexedContracts,
  blocks: readonly Block[],
  uncommitted: readonly Block[],
): Promise<DecodedAhead | undefined> {
  // The end of a backfill of one contract, from when on nothing is left to it, counts as an undo.
  const { undo_count: undoCount, backfilling } = await db
    .selectFrom('chain_state')
    .select(['undo_count', backfillingColumn.as('backfilling')])
    .executeTakeFirstOrThrow()
  const left = { ...contracts, backfilling: new Map(Object.entries(backfilling)) }
  try {
    const decoders = await openDecoders(db, left, blocks, uncommitted)
    return Object.assign(decodeNewLogs(decoders, { blocks, isNew: 'all' }), { undoCount })
  } catch (error) {
    if (error instanceof OutOfOrderError) return undefined
    throw error
  }
}

/** Joins consecutive blocks that were decoded one after another; undefined unless all were decoded, and nothing undone between. */
export function joinDecoded(parts: readonly (DecodedAhead | undefined)[]): DecodedAhead | undefined {
  const decoded = parts.filter((part) => part !== undefined)
  const undoCount = decoded[0]?.undoCount
  if (undoCount === undefined || decoded.length < parts.length) return undefined
  if (decoded.some((part) => part.undoCount !== undoCount)) return undefined
  const rejected = new RejectedLogs()
  const blocks = decoded.flatMap((part) => part.blocks)
  return { blocks, parts: readAll(decoded, rejected), rejected, undoCount }
}

function* readAll(decoded: readonly DecodedBlocks[], rejected: RejectedLogs): Generator<DecodedEvents> {
  for (const own of decoded) {
    yield* own.parts
    rejected.addAll(own.rejected)
  }
}
