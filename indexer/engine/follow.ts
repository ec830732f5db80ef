import { sql, type Transaction } from 'kysely'
import type { Chain, Header } from '../../chain/rpc/client.ts'
import type { Config } from '../../config.ts'
import { finishBulkLoad, startBulkLoad } from '../../db/bulk-load.ts'
import type { Db, OpenDatabase, Transact } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import { markInPauses } from '../../lib/memory/garbage-collection.ts'
import type { Accepts, MoreRanges } from './add-ranges.ts'
import { type Applied, applyBatch } from './apply.ts'
import type { Batch } from './batch.ts'
import { isRetryableConflict, StaleBatchError } from './conflicts.ts'
import type { Contracts } from './contracts.ts'
import { ChainMovedError, Fetcher } from './fetch.ts'
import { findFinalHeight } from './finality.ts'
import { DeepReorgError, findFork, getLinkedHeaders } from './find-fork.ts'
import { type BatchSizes, type FetchedRange, RangesAhead } from './ranges-ahead.ts'

/** The most blocks in one batch near the head. */
const MAX_HEAD_BLOCKS = 64
/**
 * A batch with this many logs shows that the chain is long enough for a bulk load, and a database with more trades than
 * STORED_TRADES is too large for it: creating the indexes would take longer than keeping them.
 */
const BULK_LOGS = 10_000
/** The last batch of a backfill must be larger by this factor, because no further one gains. */
const LAST_BATCH_FACTOR = 5
const STORED_TRADES = 100_000
/** The indexer has four connections; PGlite has one for everything. */
const INDEXES_AT_ONCE = 2
/** In blocks. A shorter backfill may end before a worker thread has started, and collects little garbage. */
const LONG_BACKFILL = 64
const LOCK_NOT_AVAILABLE = '55P03'

interface State {
  checkpoint_number: number
  checkpoint_hash: string | null
  finalized_number: number
  halted: string | null
  bulk_load: unknown
  undo_count: number
}

/** The newest block, and the height up to which blocks are final. */
interface Target {
  head: Header
  finalized: number
}

export interface FollowOptions {
  db: Db
  /** Runs the transactions, for example behind a fence; default: on db. */
  transact?: Transact
  chain: Chain
  contracts: Contracts
  finality: Config['finality']
  /** Default: PGlite. */
  databaseKind?: OpenDatabase['kind']
  /** The smallest batch that starts a bulk load; for tests. */
  bulkLogs?: number
  /** Sizes of the batches of a backfill; for tests. */
  batchSizes?: BatchSizes
  /** A clock in milliseconds; for tests. */
  now?: () => number
  onApplied?: (applied: Applied) => void
  /** Called after each index that the end of a bulk load creates. */
  onIndex?: (name: string) => void
  /** Called when a step ends without a result and is tried again. */
  onRetry?: (error: Error) => void
  around?: AroundStep
  /** When it aborts, a step ends as soon as it can. */
  signal?: AbortSignal
}

/** The kind of work in a step. */
export type StepKind = 'backfill' | 'follow' | 'reorganize'

/** behind: the nodes do not have the last indexed block. They lag, or the chain is shorter now. */
export type StepOutcome = 'advanced' | 'idle' | 'behind'

/** Wraps the work of a step, and must return its result or throw its error. */
export type AroundStep = <T>(kind: StepKind, work: () => Promise<T>) => Promise<T>

/**
 * Brings the database to the head of the chain, a step at a time. What a step finds, and does:
 *
 *   head far above the checkpoint     backfill: a range of blocks that are final; the next ones are fetched and decoded
 *                                     while it is applied. A long one into an almost empty database is a bulk load, whose
 *                                     last step creates the indexes
 *   head a little above, linked       follow: each block by its hash, parents checked, all in one batch
 *   first new block's parent is not   reorg: find the newest stored block that is still on the chain, undo above it and
 *   the checkpoint, or the block at   adopt the new branch in one transaction
 *   the checkpoint's height differs
 *   no stored block is on the chain,  deep reorg: halt, and report it in /health; indexing resumes when the indexed
 *   or only ones that were final      branch is back
 *   head below the checkpoint, and    a node that lags behind another: wait
 *   on our branch
 */
export class Follower {
  readonly #options: FollowOptions
  #fetcher: Fetcher | undefined
  readonly #ahead: RangesAhead
  /** chain_state.undo_count when the last step began. */
  #undoCount: number | undefined
  /** Whether the database has too many trades for a bulk load. */
  #isTooLarge = false
  /** The next batch undoes everything above the checkpoint: a synced receipt was of an orphaned branch. */
  #undoAboveCheckpoint = false

  constructor(options: FollowOptions) {
    this.#options = options
    const { batchSizes: sizes, contracts, databaseKind = 'pglite', db } = options
    const openFetcher = (after: number) => this.#openFetcher(after)
    this.#ahead = new RangesAhead({ db, contracts, databaseKind, sizes, openFetcher })
  }

  /** Performs one step; 'idle' if there was nothing to do. Rejects when the node or the database fails. */
  async step(): Promise<StepOutcome> {
    try {
      return await this.#step()
    } catch (error) {
      // The cached state may be of an orphaned branch or a former checkpoint.
      this.#fetcher = undefined
      this.#ahead.clear()
      const isConflict = isRetryableConflict(error) && !this.#undoAboveCheckpoint
      this.#undoAboveCheckpoint ||= isConflict
      if (isConflict || error instanceof ChainMovedError || error instanceof StaleBatchError) {
        this.#options.onRetry?.(error as Error)
        return 'advanced'
      }
      if (error instanceof DeepReorgError) await this.#setHalted(error.message)
      throw error
    }
  }

  async #step(): Promise<StepOutcome> {
    const { chain, db, finality } = this.#options
    const [head, state] = await Promise.all([
      chain.getHeader('latest'),
      db
        .selectFrom('chain_state')
        .select(['checkpoint_number', 'checkpoint_hash', 'finalized_number', 'halted', 'bulk_load', 'undo_count'])
        .executeTakeFirstOrThrow(),
    ])
    // A repair may have stored contracts that the fetcher does not know.
    if (state.undo_count !== this.#undoCount) {
      this.#fetcher = undefined
      this.#ahead.clear()
    }
    this.#undoCount = state.undo_count
    if (!head) return 'behind'
    const finish = state.bulk_load === null ? undefined : () => this.#around('backfill', () => this.#finishBulkLoad())
    if (head.number <= state.checkpoint_number) return finish ? finish() : this.#checkHead(head, state)
    const finalized = await findFinalHeight(chain, finality, head, state.finalized_number)
    const target = { head, finalized }
    const settled = Math.min(finalized, head.number)
    if (state.checkpoint_number < settled) {
      const backfill = () => this.#backfill(target, state, settled)
      const isLong = settled - state.checkpoint_number >= LONG_BACKFILL
      if (isLong) chain.prepareWorker()
      return this.#around('backfill', isLong ? () => markInPauses(backfill) : backfill)
    }
    return finish ? finish() : this.#around('follow', () => this.#follow(target, state))
  }

  #around<T>(kind: StepKind, work: () => Promise<T>): Promise<T> {
    const { around } = this.#options
    return around ? around(kind, work) : work()
  }

  /** The head is not above the checkpoint: check that it is of the same branch. */
  async #checkHead(head: Header, state: State): Promise<StepOutcome> {
    const { db } = this.#options
    const stored = await db.selectFrom('blocks').select('hash').where('number', '=', head.number).executeTakeFirst()
    const ours = head.number === state.checkpoint_number ? (state.checkpoint_hash ?? stored?.hash) : stored?.hash
    if (ours !== undefined && ours !== head.hash) {
      const target = { head, finalized: state.finalized_number }
      return this.#around('reorganize', () => this.#reorganize(target, state))
    }
    if (ours !== undefined && state.halted !== null) await this.#setHalted(null)
    return head.number < state.checkpoint_number ? 'behind' : 'idle'
  }

  async #follow(target: Target, state: State): Promise<'advanced'> {
    const { head } = target
    const from = state.checkpoint_number
    // Usually the head is the only new block, and its header is known.
    const headers =
      head.number === from + 1
        ? [head]
        : await getLinkedHeaders(this.#options.chain, from + 1, Math.min(head.number, from + MAX_HEAD_BLOCKS))
    if (state.checkpoint_hash !== null && headers[0]?.parentHash !== state.checkpoint_hash) {
      return this.#reorganize(target, state)
    }
    await this.#applyHeaders(headers, target, state)
    return 'advanced'
  }

  async #reorganize(target: Target, state: State): Promise<'advanced'> {
    const { chain, db } = this.#options
    const { head } = target
    const fork = await findFork(db, chain, Math.min(head.number, state.checkpoint_number), state.finalized_number)
    const to = Math.min(head.number, fork.number + MAX_HEAD_BLOCKS)
    const headers = to > fork.number ? await getLinkedHeaders(chain, fork.number + 1, to) : []
    if (headers[0] && headers[0].parentHash !== fork.hash) throw new ChainMovedError('The fork moved')
    // The price has to be read again from the fork on.
    this.#fetcher = undefined
    this.#ahead.clear()
    await this.#applyHeaders(headers, target, state, fork)
    return 'advanced'
  }

  async #applyHeaders(headers: readonly Header[], target: Target, state: State, fork?: Header): Promise<void> {
    const start = fork?.number ?? state.checkpoint_number
    // Ranges ahead have advanced the fetcher past `start`.
    if (this.#ahead.clear()) this.#fetcher = undefined
    const fetcher = await this.#openFetcher(start)
    const { blocks, isProven } = await fetcher.fetchBlocks(headers)
    const to = headers.at(-1) ?? fork
    if (!to) return
    await this.#apply({ blocks, to, quoteUsd: fetcher.quoteUsd }, target, state, { forkPoint: fork?.number, isProven })
  }

  /** settled: the height up to which blocks are final. */
  async #backfill(target: Target, state: State, settled: number): Promise<'advanced'> {
    const from = state.checkpoint_number
    const fetched = await this.#ahead.take(from, settled)
    if (state.checkpoint_hash !== null && fetched.blocks[0]?.number === from + 1) {
      if (fetched.blocks[0].parentHash !== state.checkpoint_hash) return this.#reorganize(target, state)
    }
    const isLoading = state.bulk_load !== null || (await this.#considerBulkLoad(fetched, from, settled))
    // A batch that takes more ranges would start the bulk load too late.
    const takesMore = isLoading || this.#isTooLarge
    const takeRange = (accepts: Accepts) => this.#takeRange(accepts)
    await this.#apply(fetched, target, state, { more: takesMore ? { takeRange } : undefined })
    return 'advanced'
  }

  async #takeRange(accepts: Accepts): Promise<FetchedRange | undefined> {
    return this.#options.signal?.aborted ? undefined : this.#ahead.takeMore(accepts)
  }

  /** Starts a bulk load if there is much to index, and little indexed. Returns whether it did. */
  async #considerBulkLoad({ blocks, to }: FetchedRange, from: number, settled: number): Promise<boolean> {
    const { bulkLogs = BULK_LOGS, db } = this.#options
    const least = to.number < settled ? bulkLogs : bulkLogs * LAST_BATCH_FACTOR
    if (this.#isTooLarge || blocks.reduce((sum, { logs }) => sum + logs.length, 0) < least) return false
    const stored = await db.selectFrom('trades').select('log_index').limit(1).offset(STORED_TRADES).executeTakeFirst()
    this.#isTooLarge = stored !== undefined
    if (this.#isTooLarge) return false
    try {
      await this.#transact((trx) => startBulkLoad(trx, from))
      return true
    } catch (error) {
      // The next large batch tries again.
      if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false
      throw error
    }
  }

  async #finishBulkLoad(): Promise<'advanced'> {
    const { databaseKind, db, onIndex } = this.#options
    const atOnce = databaseKind === 'postgres' ? INDEXES_AT_ONCE : 1
    await finishBulkLoad(db, { transact: (work) => this.#transact(work), onIndex, atOnce })
    return 'advanced'
  }

  async #apply(
    fetched: FetchedRange,
    { head, finalized }: Target,
    state: State,
    {
      forkPoint,
      more,
      isProven = false,
    }: { forkPoint?: number | undefined; more?: MoreRanges | undefined; isProven?: boolean } = {},
  ): Promise<void> {
    const { onApplied } = this.#options
    const { blocks, decoded, to, quoteUsd } = fetched
    const undoAbove = forkPoint ?? (this.#undoAboveCheckpoint ? state.checkpoint_number : undefined)
    const batch: Batch = {
      blocks,
      advance: {
        from: state.checkpoint_number,
        to,
        head,
        finalized,
        quoteUsd,
        undoCount: state.undo_count,
        isProven,
        ...(undoAbove !== undefined && { forkPoint: undoAbove }),
      },
    }
    const applied = await this.#transact((trx) =>
      applyBatch(trx, this.#options.contracts.modules, batch, { decoded, more }),
    )
    this.#undoAboveCheckpoint = false
    onApplied?.(applied)
  }

  async #openFetcher(after: number): Promise<Fetcher> {
    const { chain, contracts, db, now } = this.#options
    // A receipt sync of another branch may have moved the checkpoint back meanwhile.
    if (this.#fetcher?.reached !== after) this.#fetcher = await Fetcher.open(db, chain, contracts, after, now)
    return this.#fetcher
  }

  async #setHalted(halted: string | null): Promise<void> {
    await this.#transact(async (trx) => {
      await trx.updateTable('chain_state').set({ halted, updated_at: sql`now()` }).execute()
    })
  }

  #transact<T>(work: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
    const { db, transact } = this.#options
    return transact ? transact(work) : db.transaction().execute(work)
  }
}
