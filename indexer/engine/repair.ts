import type { Transaction } from 'kysely'
import type { Chain } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import { type Contracts, listIndexed, selectState } from './contracts.ts'
import { ChainMovedError, StaleBatchError } from './errors.ts'
import { Fetcher } from './fetch.ts'
import { getLinkedHeaders } from './find-fork.ts'
import type { Lease } from './lease.ts'
import { BlockReconciler } from './reconcile-blocks.ts'
import { removeUnproven } from './unproven.ts'

const BLOCKS_AT_ONCE = 64
/** Attempts to compare the same blocks, while the chain or the database changes. */
const ATTEMPTS = 5
/** So many logs of blocks that wait for a rebuild are kept in memory. */
const MAX_WAITING = 200_000

export interface RepairOptions {
  db: Db
  chain: Chain
  contracts: Contracts
  /** Heights, inclusive; default: from the first block with a contract to the checkpoint. Rejects if none is indexed. */
  from?: number
  to?: number
  /** That of the lease, of a process that indexes. */
  fence?: Lease['fence']
  /** Counts, and writes nothing. */
  dryRun?: boolean
  onProgress?: (progress: Repaired) => void
}

export interface Repaired {
  /** The last block compared. */
  block: number
  /** The end: the checkpoint if later blocks were indexed by what was found, such as without an unknown contract. */
  to: number
  missingLogs: number
  /** Stored logs that the chain does not have. */
  forgedLogs: number
  /** Blocks whose USD price is unknown or wrong. */
  missingPrices: number
  /** Whether all derived tables were rebuilt. */
  rebuilt: boolean
}

/**
 * Fetches indexed blocks again, each by its hash, applies logs that are not stored, removes stored ones that the chain does not
 * have, and corrects prices. See BlockReconciler. It may run beside the process that indexes.
 */
export async function repair(options: RepairOptions): Promise<Repaired> {
  const { db, chain, dryRun = false, fence, onProgress } = options
  const state = await selectState(db).executeTakeFirstOrThrow()
  // Also those that only a newer version has configured.
  const contracts = { ...options.contracts, ...listIndexed(state, options.contracts.modules) }
  const first = Math.max(options.from ?? contracts.startBlock, contracts.startBlock)
  requireIndexed(options, first, state.checkpoint_number)
  const done: Repaired = {
    block: first - 1,
    to: Math.min(options.to ?? state.checkpoint_number, state.checkpoint_number),
    missingLogs: 0,
    forgedLogs: 0,
    missingPrices: 0,
    rebuilt: false,
  }
  const reconciler = new BlockReconciler({
    db,
    contracts,
    dryRun,
    ...(fence && { fence }),
    onDifference: ({ missing, forged, price }) => {
      done.missingLogs += missing.length
      done.forgedLogs += forged.length
      if (price !== 'right') done.missingPrices += 1
    },
  })
  for (;;) {
    const fetcher = await Fetcher.open(db, chain, contracts, done.block)
    while (done.block < done.to && reconciler.waiting < MAX_WAITING) {
      const wanted = Math.min(done.block + BLOCKS_AT_ONCE, done.to)
      const headers = await retry(() => getLinkedHeaders(chain, done.block + 1, wanted))
      // The chain may have skipped the last heights: they follow with the next block.
      const end = headers.at(-1)?.number ?? wanted
      const fetched = await fetcher.fetchBlocks(headers)
      const range = { from: done.block + 1, to: end }
      const commit = fetched.isProven ? (trx: Transaction<Database>) => removeUnproven(trx, [range]) : undefined
      await retry(() => reconciler.reconcile(fetched, commit))
      if (reconciler.affectedFrom !== undefined) done.to = await readCheckpoint(db)
      done.block = end
      onProgress?.({ ...done })
    }
    if (dryRun || reconciler.waiting === 0) return done
    const { affectedFrom } = reconciler
    await reconciler.rebuild()
    done.rebuilt = true
    if (affectedFrom === undefined && done.block === done.to) return done
    // Which logs of these blocks are indexed depends on what is stored only now.
    if (affectedFrom === undefined) continue
    done.block = affectedFrom
    done.to = await readCheckpoint(db)
  }
}

/** A range without an indexed block is a mistake: an empty result would read as "nothing is missing". */
function requireIndexed({ from: given, to }: RepairOptions, from: number, checkpoint: number): void {
  if (given !== undefined && given > checkpoint)
    throw new RangeError(`Block ${given} is not indexed: the last indexed block is ${checkpoint}`)
  if (to !== undefined && to < from)
    throw new RangeError(`Block ${to} cannot be the last: the first block to repair is ${from}`)
}

async function readCheckpoint(db: Db): Promise<number> {
  const state = await db.selectFrom('chain_state').select('checkpoint_number').executeTakeFirstOrThrow()
  return state.checkpoint_number
}

/** Repeats what the chain or the database has changed under. */
async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left <= 1 || !(error instanceof StaleBatchError || error instanceof ChainMovedError)) throw error
    }
  }
}
