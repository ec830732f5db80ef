import type { Log } from '../../chain/logs/log.ts'
import type { Db } from '../../db/client.ts'
import type { Block } from './batch.ts'
import { readStored } from './blocks.ts'
import { isCreation } from './creations.ts'
import { openDecoders } from './decode.ts'
import { StaleBatchError } from './errors.ts'
import type { FetchedBlocks } from './fetch.ts'
import type { IndexedContracts } from './module.ts'

/** How the stored block at a height differs from the chain's. */
export interface Difference {
  /** The chain's block with the logs that are indexed: as it should be stored. */
  block: Block
  /** Its logs that are not stored. */
  missing: Log[]
  /** Stored logs that the block does not have, or that are not indexed. */
  forged: Log[]
  /** The stored USD price is unknown, or another one. */
  price: 'right' | 'unknown' | 'wrong'
  /** Whether the stored hash or time is another one. */
  isHeaderWrong: boolean
}

/** Whether all derived tables have to be rebuilt, because rows cannot be corrected one by one. */
export const needsRebuild = (contracts: IndexedContracts, { missing, forged, price, isHeaderWrong }: Difference) =>
  forged.length > 0 || price !== 'right' || isHeaderWrong || missing.some((log) => isCreation(contracts, log))

/** Whether later blocks were indexed by it: which of their logs, or at which price. */
export const affectsLater = (contracts: IndexedContracts, { missing, forged, price }: Difference) =>
  price === 'wrong' || [...missing, ...forged].some((log) => isCreation(contracts, log))

/**
 * Compares blocks of the chain with the stored ones; all of them are up to the checkpoint. uncommitted: blocks before them with
 * creations that the database lacks. Rejects with StaleBatchError if a block that is not final is stored with another hash.
 */
export async function compareBlocks(
  db: Db,
  contracts: IndexedContracts,
  { blocks, answeredAt = Number.POSITIVE_INFINITY }: FetchedBlocks,
  uncommitted: readonly Block[] = [],
): Promise<Difference[]> {
  const heights = blocks.map(({ number }) => number)
  const { finalized_number: finalized } = await db
    .selectFrom('chain_state')
    .select('finalized_number')
    .executeTakeFirstOrThrow()
  const stored = await readStored(db, heights)
  const { isIndexed } = await openDecoders(db, contracts, blocks, uncommitted)
  return blocks.flatMap((fetched) => {
    const { number, hash, time } = fetched
    const row = stored.get(number)
    if (row && row.hash !== hash && number > finalized)
      throw new StaleBatchError(
        `Block ${number} is stored as ${row.hash}, and the chain has ${hash}: let the indexer follow first`,
      )
    const isHeaderWrong = row !== undefined && (row.hash !== hash || row.time !== time)
    const block = { ...fetched, logs: fetched.logs.filter((log) => isIndexed(number, log)) }
    const missing = subtract(block.logs, row?.logs)
    const forged = subtract(row?.logs, block.logs)
    const price = row ? comparePrices(row, block, number >= answeredAt) : 'right'
    const isEqual = missing.length + forged.length === 0 && price === 'right' && !isHeaderWrong
    return isEqual ? [] : [{ block, missing, forged, price, isHeaderWrong }]
  })
}

/** The first logs that are not among the others. */
function subtract(logs: readonly Log[] = [], others: readonly Log[] = []): Log[] {
  const byIndex = new Map(others.map((log) => [log.logIndex, log]))
  return logs.filter((log) => !byIndex.get(log.logIndex)?.equals(log))
}

/** A price from the state of the feed replaces no other one: after a change of the aggregator both may be right. */
function comparePrices(row: Block, block: Block, isFromEvent: boolean): Difference['price'] {
  // Events are valued with it, so without logs it does not matter.
  if (row.logs.length === 0 || block.nativeUsd === null || row.nativeUsd === block.nativeUsd) return 'right'
  if (row.nativeUsd === null) return 'unknown'
  return isFromEvent ? 'wrong' : 'right'
}
