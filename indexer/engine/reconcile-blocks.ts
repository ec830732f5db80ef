import { sql, type Transaction } from 'kysely'
import { formatUsd } from '../../chain/amounts.ts'
import { lockForApply } from '../../db/apply-lock.ts'
import type { Db } from '../../db/client.ts'
import { makePartitions } from '../../db/partitions.ts'
import type { Database } from '../../db/schema.ts'
import { type Applied, applyBatch } from './apply.ts'
import type { Block } from './batch.ts'
import { readStored, writeBlocks } from './blocks.ts'
import { affectsLater, compareBlocks, type Difference, needsRebuild } from './compare-blocks.ts'
import { readUndoCount } from './contracts.ts'
import { detachCreations } from './creations.ts'
import { isRetryableConflict, StaleBatchError } from './errors.ts'
import type { FetchedBlocks } from './fetch.ts'
import type { Lease } from './lease.ts'
import type { IndexedContracts } from './module.ts'
import { reindex } from './reindex.ts'

interface ReconcilerOptions {
  db: Db
  contracts: IndexedContracts
  /** That of the lease, of a process that indexes. */
  fence?: Lease['fence']
  /** Counts, and writes nothing. */
  dryRun?: boolean
  onDifference?: (difference: Difference) => void
  onApplied?: (applied: Applied) => void
}

/** Written in the transaction that corrects the blocks. */
type Commit = (trx: Transaction<Database>) => Promise<void>

/**
 * Compares indexed blocks with the chain and corrects what differs. Missing logs are applied at once. What cannot be corrected
 * out of order (a missed creation, a forged log, a wrong price) waits for `rebuild`, which stores the right blocks and
 * rebuilds all derived tables in one transaction: until then the stored logs are those that the tables were made from.
 */
export class BlockReconciler {
  readonly #options: ReconcilerOptions
  /** The right blocks, by height, that wait for a rebuild. */
  readonly #waiting = new Map<number, Block>()
  /** Those of them that have creations. */
  #creations: Block[] = []
  #affectedFrom: number | undefined
  #waitingLogs = 0
  /** The last block compared, and whether its price is of an event. */
  #last: { block: Block; isAnswered: boolean } | undefined

  constructor(options: ReconcilerOptions) {
    this.#options = options
  }

  /** Number of logs of the blocks that wait for a rebuild, or of blocks if that is more. */
  get waiting(): number {
    return Math.max(this.#waitingLogs, this.#waiting.size)
  }

  /** The height from which on blocks have to be compared again after the rebuild; undefined if there is none. */
  get affectedFrom(): number | undefined {
    return this.#affectedFrom
  }

  /**
   * Compares blocks up to the checkpoint, in ascending order from call to call. Unless a block waits for a rebuild, `commit` is
   * written as well, with what is applied. Rejects with StaleBatchError if blocks were undone meanwhile.
   */
  async reconcile(fetched: FetchedBlocks, commit?: Commit): Promise<void> {
    const { db, contracts, dryRun = false, onDifference } = this.#options
    const undoCount = await readUndoCount(db)
    const differences = await compareBlocks(db, contracts, fetched, this.#creations)
    for (const difference of differences) onDifference?.(difference)
    const block = fetched.blocks.at(-1)
    if (block) this.#last = { block, isAnswered: fetched.answeredAt !== undefined }
    // With a creation that the database lacks, missing logs may be events of what it creates.
    const isDirect = (difference: Difference) =>
      this.#creations.length === 0 &&
      !this.#waiting.has(difference.block.number) &&
      !needsRebuild(contracts, difference)
    const direct = differences.filter(isDirect)
    for (const difference of differences) if (!direct.includes(difference)) this.#wait(difference)
    const write = this.#waiting.size === 0 ? commit : undefined
    if (dryRun || (direct.length === 0 && !write)) return
    if (!(await this.#apply(direct, undoCount, write))) for (const difference of direct) this.#wait(difference)
  }

  /** Returns false if the logs cannot be applied out of order. */
  async #apply(direct: readonly Difference[], undoCount: number, commit: Commit = async () => {}): Promise<boolean> {
    const { db, contracts, fence } = this.#options
    const blocks = direct.map(({ block, missing: logs }) => ({ ...block, logs }))
    try {
      const applied = await db.transaction().execute(async (trx) => {
        await fence?.(trx)
        await lockForApply(trx)
        if ((await readUndoCount(trx)) !== undoCount) throw new StaleBatchError('Blocks were undone meanwhile')
        const applied =
          blocks.length > 0 ? await applyBatch(trx, contracts.modules, { blocks, advance: null }) : undefined
        await commit(trx)
        return applied
      })
      if (applied) this.#options.onApplied?.(applied)
      return true
    } catch (error) {
      if (isRetryableConflict(error)) return false
      throw error
    }
  }

  #wait(difference: Difference): void {
    const { contracts, dryRun = false } = this.#options
    const { block } = difference
    if (!dryRun) {
      this.#waiting.set(block.number, block)
      this.#waitingLogs += block.logs.length
    }
    this.#creations.push(...detachCreations(contracts, [block]))
    if (affectsLater(contracts, difference)) this.#affectedFrom ??= block.number
  }

  /** Stores the waiting blocks and rebuilds all derived tables. */
  async rebuild(commit: Commit = async () => {}): Promise<void> {
    const { db, contracts, fence } = this.#options
    await reindex(db, contracts.modules, undefined, async (trx) => {
      await fence?.(trx)
      await lockForApply(trx)
      await replaceBlocks(trx, [...this.#waiting.values()])
      if (this.#last) await correctPrice(trx, this.#last)
      // What others have decoded or fetched with the former contracts is stale.
      await sql`update chain_state set undo_count = undo_count + 1`.execute(trx)
      await commit(trx)
    })
    this.#waiting.clear()
    this.#waitingLogs = 0
    this.#creations = []
    this.#affectedFrom = undefined
  }
}

/** The price of the newest indexed block. One from the state of the feed replaces no other: see compareBlocks. */
async function correctPrice(
  trx: Transaction<Database>,
  { block, isAnswered }: { block: Block; isAnswered: boolean },
): Promise<void> {
  if (block.nativeUsd === null) return
  await sql`update chain_state set quote_usd = ${formatUsd(block.nativeUsd)}::numeric
    where checkpoint_number = ${block.number} and (quote_usd is null or ${isAnswered}::boolean)`.execute(trx)
}

/** Replaces the rows of these blocks, except of those that a reorg has replaced since they were compared. */
async function replaceBlocks(trx: Transaction<Database>, blocks: readonly Block[]): Promise<void> {
  const heights = blocks.map(({ number }) => number)
  const { finalized_number: finalized } = await trx
    .selectFrom('chain_state')
    .select('finalized_number')
    .executeTakeFirstOrThrow()
  const stored = await readStored(trx, heights)
  const right = blocks.filter(({ number, hash }) => number <= finalized || stored.get(number)?.hash === hash)
  const replaced = right.map(({ number }) => number)
  await sql`delete from blocks where number = any(${replaced}::bigint[])`.execute(trx)
  await sql`delete from contract_reads where block_number = any(${replaced}::bigint[])`.execute(trx)
  await makePartitions(trx, right)
  // Empty blocks are kept while they may be a fork point.
  const kept = right.filter(({ number, logs }) => logs.length > 0 || number >= finalized)
  kept.sort((a, b) => a.number - b.number)
  await writeBlocks(trx, { blocks: kept, isNew: () => true, isStored: () => false })
}
