import type { Transaction } from 'kysely'
import { pipelineStatements } from '../../db/postgres/pipeline.ts'
import type { Database } from '../../db/schema.ts'
import type { ExtendBatch, FetchedRange } from './backfill.ts'
import { type MergedBlocks, writeBlocks } from './blocks.ts'
import type { DecodedBlocks, DecodedEvents } from './decode.ts'
import { EventWriters } from './event-writers.ts'
import type { Written } from './live-events.ts'
import type { Clock, IndexerModule } from './module.ts'
import type { RejectedLogs } from './rejected-logs.ts'

interface NewBlocks {
  decoded: DecodedBlocks
  /** What is stored of these blocks, and what is new. */
  merged: Omit<MergedBlocks, 'blocks'>
  clock: Clock
  /** Those of the batch are added. */
  rejected: RejectedLogs
  extend?: ExtendBatch | undefined
}

/** Writes blocks and every row that follows from their new events; `last` is the last range that `extend` added. */
export async function writeNewBlocks(
  trx: Transaction<Database>,
  modules: readonly IndexerModule[],
  { decoded, merged, clock, rejected, extend }: NewBlocks,
): Promise<Omit<Written, 'undone' | 'stored' | 'endsGap'> & { last: FetchedRange | undefined }> {
  return pipelineStatements(trx, async (pipelined, statements) => {
    const writers = new EventWriters(modules, pipelined, clock, statements)
    await writers.addParts(decoded.parts)
    rejected.addAll(decoded.rejected)
    statements.start(writeBlocks(pipelined, { ...merged, blocks: decoded.blocks }))
    const last = await extend?.({ trx: pipelined, writers, statements, rejected })
    return { ...(await writers.finish()), last }
  })
}

/** Writes every row that follows from events whose blocks are stored. */
export async function writeEvents(
  trx: Transaction<Database>,
  modules: readonly IndexerModule[],
  parts: Iterable<DecodedEvents>,
  clock: Clock,
): Promise<void> {
  await pipelineStatements(trx, async (pipelined, statements) => {
    const writers = new EventWriters(modules, pipelined, clock, statements)
    await writers.addParts(parts)
    await writers.finish()
  })
}
