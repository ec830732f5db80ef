import type { Transaction } from 'kysely'
import type { Chain, Header } from '../../chain/rpc/client.ts'
import type { BlockRange } from '../../chain/rpc/split-range.ts'
import type { Db } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import type { Applied } from './apply.ts'
import type { Difference } from './compare-blocks.ts'
import type { Contracts } from './contracts.ts'
import { ChainMovedError, StaleBatchError } from './errors.ts'
import { Fetcher } from './fetch.ts'
import { getLinkedHeaders } from './find-fork.ts'
import type { Lease } from './lease.ts'
import { BlockReconciler } from './reconcile-blocks.ts'
import { addUnprovenAbove, findUnproven, removeUnproven } from './unproven.ts'

/** Blocks of a step. The receipts of those with a matching bloom are in memory at the same time. */
const BLOCKS_AT_ONCE = 32
/** A rebuild takes what was found in this time, because it reads all stored logs. */
const REBUILD_AFTER_MS = 10 * 60_000
/** The most logs that wait in memory for a rebuild. */
const MAX_WAITING = 200_000

export interface ProverOptions {
  db: Db
  chain: Chain
  contracts: Contracts
  /** That of the lease. */
  fence?: Lease['fence']
  onDifference?: (difference: Difference) => void
  onApplied?: (applied: Applied) => void
  /** Called before and after a rebuild of all derived tables. */
  onRebuild?: (isDone: boolean) => void
  /** A clock in milliseconds; for tests. */
  now?: () => number
}

/**
 * proven    the blocks were proven, and differences corrected or left to a rebuild
 * skipped   no receipts prove one of the blocks: it stays unproven, and the next blocks follow
 * moved     the chain or the database changed meanwhile: the same blocks follow again
 * rebuilt   all derived tables were rebuilt
 * done      nothing more can be proven now
 */
export type ProofOutcome = 'proven' | 'skipped' | 'moved' | 'rebuilt' | 'done'

/**
 * Proves the blocks of chain_state.unproven, a step at a time, lowest first: each block is linked to its parent, and its logs
 * follow from its receipts, or from a bloom that excludes them. The progress is in the database; while differences wait for a
 * rebuild, it is in memory, so that after a crash they are found again.
 */
export class BlockProver {
  readonly #options: ProverOptions
  #reconciler: BlockReconciler
  #fetcher: Fetcher | undefined
  #previous: Header | undefined
  /** Blocks up to here were proven or skipped. */
  #after = -1
  /** Proven while differences wait for a rebuild. */
  #proven: BlockRange[] = []
  #waitingSince: number | undefined

  constructor(options: ProverOptions) {
    this.#options = options
    this.#reconciler = this.#openReconciler()
  }

  /** Returns also the number of requests that the step has sent to nodes. Rejects when the node or the database fails. */
  async step(): Promise<{ outcome: ProofOutcome; requests: number }> {
    const { db, contracts } = this.#options
    const found = await findUnproven(db, Math.max(this.#after, contracts.startBlock - 1))
    if (!found || this.#isRebuildDue()) return { outcome: await this.#finish(), requests: 0 }
    const range = { from: found.from, to: Math.min(found.to, found.from + BLOCKS_AT_ONCE - 1) }
    try {
      return await this.#prove(range)
    } catch (error) {
      if (!(error instanceof StaleBatchError || error instanceof ChainMovedError)) throw error
      this.#restart()
      return { outcome: 'moved', requests: range.to - range.from + 1 }
    }
  }

  async #prove(wanted: BlockRange): Promise<{ outcome: ProofOutcome; requests: number }> {
    const { chain, db, contracts } = this.#options
    const headers = await getLinkedHeaders(chain, wanted.from, wanted.to)
    // The chain may have skipped the last heights: they follow with the next block.
    const range = { from: wanted.from, to: headers.at(-1)?.number ?? wanted.to }
    if (this.#previous && this.#after === range.from - 1 && headers[0] && headers[0].parentHash !== this.#previous.hash)
      throw new ChainMovedError(`Block ${range.from} is not linked to the one before`)
    if (this.#fetcher?.reached !== range.from - 1)
      this.#fetcher = await Fetcher.open(db, chain, contracts, range.from - 1)
    const fetched = await this.#fetcher.fetchBlocks(headers)
    const requests = headers.length + fetched.readCount
    this.#previous = headers.at(-1) ?? this.#previous
    // Nothing is indexed below the first block.
    const proven = { ...range, from: range.from === contracts.startBlock ? 0 : range.from }
    if (fetched.isProven) await this.#reconciler.reconcile(fetched, (trx) => removeUnproven(trx, [proven]))
    this.#after = range.to
    if (!fetched.isProven) return { outcome: 'skipped', requests }
    if (this.#reconciler.waiting > 0) {
      this.#proven.push(proven)
      this.#waitingSince ??= this.#now()
    }
    return { outcome: 'proven', requests }
  }

  #isRebuildDue(): boolean {
    if (this.#waitingSince === undefined) return false
    return this.#reconciler.waiting >= MAX_WAITING || this.#now() - this.#waitingSince >= REBUILD_AFTER_MS
  }

  async #finish(): Promise<ProofOutcome> {
    if (this.#waitingSince !== undefined) {
      const { onRebuild } = this.#options
      onRebuild?.(false)
      await this.#reconciler.rebuild((trx) => this.#commit(trx))
      onRebuild?.(true)
    }
    const outcome = this.#waitingSince === undefined ? 'done' : 'rebuilt'
    this.#restart()
    return outcome
  }

  async #commit(trx: Transaction<Database>): Promise<void> {
    const { affectedFrom } = this.#reconciler
    await removeUnproven(trx, this.#proven)
    // Which logs of later blocks are indexed depends on what is stored only now.
    if (affectedFrom !== undefined) await addUnprovenAbove(trx, affectedFrom)
  }

  /** Starts again with the lowest unproven block. */
  #restart(): void {
    this.#reconciler = this.#openReconciler()
    this.#fetcher = undefined
    this.#previous = undefined
    this.#after = -1
    this.#proven = []
    this.#waitingSince = undefined
  }

  #openReconciler(): BlockReconciler {
    const { db, contracts, fence, onDifference, onApplied } = this.#options
    return new BlockReconciler({
      db,
      contracts,
      ...(fence && { fence }),
      ...(onDifference && { onDifference }),
      ...(onApplied && { onApplied }),
    })
  }

  #now(): number {
    return (this.#options.now ?? (() => performance.now()))()
  }
}
