import type { Transaction } from 'kysely'
import type { Chain, Header } from '../../chain/rpc/client.ts'
import type { Config } from '../../config/config.ts'
import type { Db, Transact } from '../../db/client.ts'
import type { Database } from '../../db/schema.ts'
import { type Applied, applyBatch } from './apply.ts'
import { type Backfill, type FetchedRange, findComparedHeights, isLinkedTo, makeRange } from './backfill.ts'
import type { Batch } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { ChainMovedError, DeepReorgError, isRetryableConflict, StaleBatchError, UnseenBlockError } from './errors.ts'
import { Fetcher } from './fetch.ts'
import { findFinalHeight } from './finality.ts'
import { findFork, getLinkedHeaders } from './find-fork.ts'

/** The most blocks in one batch near the head. */
const MAX_HEAD_BLOCKS = 64
/** The most blocks in one batch of a backfill without prefetching. */
const MAX_RANGE_BLOCKS = 500

interface State {
  checkpoint_number: number
  checkpoint_hash: string | null
  finalized_number: number
  halted: string | null
  undo_count: number
}

/** The newest block, and the height up to which blocks are final. */
interface Target {
  head: Header
  finalized: number
}

/** How a batch is applied. */
interface ApplyKind {
  /** Set for a reorg: the height above which everything is undone. */
  forkPoint?: number | undefined
  /** Set for a range of a backfill: more ranges may be added to it. */
  backfill?: Backfill | undefined
  /** See Batch. */
  isProven?: boolean
}

export interface FollowOptions {
  db: Db
  /** Runs the transactions, for example behind a fence; default: on db. */
  transact?: Transact
  chain: Chain
  contracts: Contracts
  finality: Config['finality']
  /** What makes a long backfill fast. Default: none. */
  backfill?: Backfill
  /** A clock in milliseconds; for tests. */
  now?: () => number
  onApplied?: (applied: Applied) => void
  /** Called when a step ends without a result and is tried again. */
  onRetry?: (error: Error) => void
  /** Wraps each step, for example to measure it. */
  around?: AroundStep
}

/** What a step began as: a reorg that backfill or follow finds is part of that step. */
export type StepKind = 'backfill' | 'follow' | 'reorganize'

/**
 * again: call at once, because the checkpoint has moved, or the step has to start again. idle: no new block. behind: no node has a
 * head, or the head is below the checkpoint and no stored block contradicts it.
 */
export type StepOutcome = 'again' | 'idle' | 'behind'

/** Wraps the work of a step, and must return its result or throw its error. */
export type AroundStep = <T>(kind: StepKind, work: () => Promise<T>) => Promise<T>

/** Brings the database to the head of the chain, a step at a time: see docs/indexer.md, "Steps of the indexer". */
export class Follower {
  readonly #options: FollowOptions
  #fetcher: Fetcher | undefined
  /** chain_state.undo_count when the last step began. */
  #undoCount: number | undefined
  /** The next batch undoes everything above the checkpoint: a batch conflicted with blocks that syncs have stored there. */
  #undoAboveCheckpoint = false
  /** The height of the stored block that the last batch lacked. */
  #unseen: number | undefined

  constructor(options: FollowOptions) {
    this.#options = options
  }

  /** Performs one step. Rejects when the node or the database fails, after a reorg of final blocks, and if a conflict remains. */
  async step(): Promise<StepOutcome> {
    try {
      return await this.#step()
    } catch (error) {
      this.#dropFetched()
      // Missing twice: the chain has skipped the height, so the stored block is orphaned.
      const isSkipped = error instanceof UnseenBlockError && error.height === this.#unseen
      this.#unseen = error instanceof UnseenBlockError ? error.height : undefined
      const isConflict = (isRetryableConflict(error) || isSkipped) && !this.#undoAboveCheckpoint
      this.#undoAboveCheckpoint ||= isConflict
      if (isConflict || error instanceof ChainMovedError || error instanceof StaleBatchError) {
        this.#options.onRetry?.(error as Error)
        return 'again'
      }
      if (error instanceof DeepReorgError) await this.#setHalted(error.message)
      throw error
    }
  }

  async #step(): Promise<StepOutcome> {
    const { backfill, chain, db, finality } = this.#options
    const [head, state] = await Promise.all([
      chain.getHeader('latest'),
      db
        .selectFrom('chain_state')
        .select(['checkpoint_number', 'checkpoint_hash', 'finalized_number', 'halted', 'undo_count'])
        .executeTakeFirstOrThrow(),
    ])
    // Blocks were undone or repaired: what was fetched may be wrong, or lack contracts.
    if (state.undo_count !== this.#undoCount) this.#dropFetched()
    this.#undoCount = state.undo_count
    if (!head) return 'behind'
    const hasNewBlocks = head.number > state.checkpoint_number
    const target = {
      head,
      finalized: hasNewBlocks
        ? await findFinalHeight(chain, finality, head, state.finalized_number)
        : state.finalized_number,
    }
    const lastFinal = Math.min(target.finalized, head.number)
    if (state.checkpoint_number < lastFinal)
      return this.#around('backfill', () => this.#applyFinal(target, state, lastFinal))
    const remainder = await backfill?.findRemainder()
    if (remainder) {
      await this.#around('backfill', remainder)
      return 'again'
    }
    return hasNewBlocks ? this.#around('follow', () => this.#follow(target, state)) : this.#checkHead(head, state)
  }

  #around<T>(kind: StepKind, work: () => Promise<T>): Promise<T> {
    const { around } = this.#options
    return around ? around(kind, work) : work()
  }

  /** The head is not above the checkpoint: compares it with the stored block at its height. */
  async #checkHead(head: Header, state: State): Promise<StepOutcome> {
    const { db } = this.#options
    const stored = await db.selectFrom('blocks').select('hash').where('number', '=', head.number).executeTakeFirst()
    const ours = head.number === state.checkpoint_number ? (state.checkpoint_hash ?? stored?.hash) : stored?.hash
    if (ours !== undefined && ours !== head.hash) {
      const target = { head, finalized: state.finalized_number }
      return this.#around('reorganize', () => this.#reorganize(target, state))
    }
    // A match below the last final block does not show that the old branch is back: both have these blocks.
    const isBack = ours !== undefined && head.number >= state.finalized_number
    if (isBack && state.halted !== null) await this.#setHalted(null)
    return head.number < state.checkpoint_number ? 'behind' : 'idle'
  }

  async #follow(target: Target, state: State): Promise<'again'> {
    const { head } = target
    const from = state.checkpoint_number
    // Usually the head is the only new block, and its header is known.
    const headers = head.number === from + 1 ? [head] : await this.#getNextHeaders(from, head.number)
    if (state.checkpoint_hash !== null && headers[0]?.parentHash !== state.checkpoint_hash) {
      return this.#reorganize(target, state)
    }
    await this.#applyHeaders(headers, target, state)
    return 'again'
  }

  /** Some of the headers after a height, up to another one; none if that is not above. */
  async #getNextHeaders(after: number, limit: number): Promise<Header[]> {
    for (let from = after + 1; from <= limit; from += MAX_HEAD_BLOCKS) {
      const to = Math.min(limit, from + MAX_HEAD_BLOCKS - 1)
      const headers = await getLinkedHeaders(this.#options.chain, from, to)
      // The chain may have skipped them all.
      if (headers.length > 0) return headers
    }
    return []
  }

  async #reorganize(target: Target, state: State): Promise<'again'> {
    const { chain, db } = this.#options
    const { head } = target
    const fork = await findFork(db, chain, {
      highest: Math.min(head.number, state.checkpoint_number),
      finalized: state.finalized_number,
    })
    const headers = await this.#getNextHeaders(fork.number, head.number)
    if (headers[0] && headers[0].parentHash !== fork.hash) throw new ChainMovedError('The fork moved')
    // A fetcher continues with the prices of its last block, which is orphaned.
    this.#dropFetched()
    await this.#applyHeaders(headers, target, state, fork)
    return 'again'
  }

  async #applyHeaders(headers: readonly Header[], target: Target, state: State, fork?: Header): Promise<void> {
    const start = fork?.number ?? state.checkpoint_number
    this.#options.backfill?.clear()
    const fetcher = await this.#openFetcher(start)
    const { blocks, isProven } = await fetcher.fetchBlocks(headers)
    // After a reorg to a shorter chain the fork point may be the head: the batch only undoes.
    const to = headers.at(-1) ?? fork
    if (!to) return
    await this.#apply({ blocks, to, ...fetcher.prices }, target, state, { forkPoint: fork?.number, isProven })
  }

  /** lastFinal: the height up to which blocks are final. */
  async #applyFinal(target: Target, state: State, lastFinal: number): Promise<'again'> {
    const { backfill } = this.#options
    const checkpoint = { number: state.checkpoint_number, hash: state.checkpoint_hash }
    const fetched = backfill
      ? await backfill.take(checkpoint, lastFinal)
      : await this.#fetchRange(checkpoint.number, lastFinal)
    if (!isLinkedTo(fetched, checkpoint)) return this.#reorganize(target, state)
    await this.#apply(fetched, target, state, { backfill })
    return 'again'
  }

  async #fetchRange(after: number, limit: number): Promise<FetchedRange> {
    const to = Math.min(after + MAX_RANGE_BLOCKS, limit)
    const heights = await findComparedHeights(this.#options.db, after, to)
    const fetcher = await this.#openFetcher(after)
    return makeRange(fetcher, await fetcher.requestRange({ from: after + 1, to }), heights)
  }

  async #apply(
    fetched: FetchedRange,
    { head, finalized }: Target,
    state: State,
    { forkPoint, backfill, isProven = false }: ApplyKind,
  ): Promise<void> {
    const { contracts, onApplied } = this.#options
    const { blocks, decoded, to, nativeUsd, quotePrices } = fetched
    const undoAbove = forkPoint ?? (this.#undoAboveCheckpoint ? state.checkpoint_number : undefined)
    const batch: Batch = {
      blocks,
      advance: {
        from: state.checkpoint_number,
        to,
        head,
        finalized,
        nativeUsd,
        quotePrices,
        undoCount: state.undo_count,
        isProven,
        isReorg: forkPoint !== undefined,
        ...(undoAbove !== undefined && { undoAbove }),
      },
    }
    const applied = await this.#transact((trx) => applyBatch(trx, contracts.modules, batch, { decoded, backfill }))
    this.#undoAboveCheckpoint = false
    onApplied?.(applied)
  }

  /** Drops fetcher and prefetched ranges: they may be of an orphaned branch, or follow a former checkpoint. */
  #dropFetched(): void {
    this.#fetcher = undefined
    this.#options.backfill?.clear()
  }

  async #openFetcher(after: number): Promise<Fetcher> {
    const { chain, contracts, db, now } = this.#options
    // A receipt sync of another branch may have moved the checkpoint back meanwhile.
    if (this.#fetcher?.reached !== after) this.#fetcher = await Fetcher.open(db, chain, contracts, after, now)
    return this.#fetcher
  }

  async #setHalted(halted: string | null): Promise<void> {
    await this.#transact(async (trx) => {
      await trx.updateTable('chain_state').set({ halted }).execute()
    })
  }

  #transact<T>(work: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
    const { db, transact } = this.#options
    return transact ? transact(work) : db.transaction().execute(work)
  }
}
