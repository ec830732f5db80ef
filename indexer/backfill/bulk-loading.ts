// Saves two thirds of the COPY of trades and almost half of the updates of balances in a backfill (`npm run bench:indexer`).
import { finishBulkLoad, readBulkLoad, startBulkLoad } from '../../db/bulk-load.ts'
import type { Db, OpenDatabase, Transact } from '../../db/client.ts'
import type { FetchedRange } from '../engine/backfill.ts'

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
const LOCK_NOT_AVAILABLE = '55P03'

export interface BulkLoadingOptions {
  db: Db
  databaseKind: OpenDatabase['kind']
  /** Runs the transactions, for example behind a fence; default: on db. */
  transact?: Transact | undefined
  /** Called after each index that the end of a bulk load creates. */
  onIndex?: ((name: string) => void) | undefined
  /** The smallest batch that starts a bulk load; for tests. */
  bulkLogs?: number | undefined
}

/** Starts a bulk load where a backfill is long and the database almost empty, and ends it. See db/bulk-load.ts. */
export class BulkLoading {
  readonly #options: BulkLoadingOptions
  readonly #transact: Transact
  /** Undefined before the database was asked. */
  #isLoading: boolean | undefined
  #isTooLarge = false

  constructor(options: BulkLoadingOptions) {
    this.#options = options
    this.#transact = options.transact ?? ((work) => options.db.transaction().execute(work))
  }

  /** Whether no bulk load will start any more: one has, or the database is too large for it. */
  get isDecided(): boolean {
    return this.#isLoading === true || this.#isTooLarge
  }

  /** Starts a bulk load if there is much to index, and little indexed. limit: the last height of the backfill. */
  async consider({ blocks, to }: FetchedRange, after: number, limit: number): Promise<void> {
    const { bulkLogs = BULK_LOGS, db } = this.#options
    this.#isLoading ??= (await readBulkLoad(db)) !== null
    const least = to.number < limit ? bulkLogs : bulkLogs * LAST_BATCH_FACTOR
    if (this.isDecided || blocks.reduce((sum, { logs }) => sum + logs.length, 0) < least) return
    const stored = await db.selectFrom('trades').select('log_index').limit(1).offset(STORED_TRADES).executeTakeFirst()
    this.#isTooLarge = stored !== undefined
    if (this.#isTooLarge) return
    // The transaction may be committed although its connection fails.
    this.#isLoading = undefined
    try {
      await this.#transact((trx) => startBulkLoad(trx, after))
      this.#isLoading = true
    } catch (error) {
      // The next large batch tries again.
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
    }
  }

  /** The creation of the indexes; null without a bulk load. */
  async findRemainder(): Promise<(() => Promise<void>) | null> {
    const { databaseKind, db, onIndex } = this.#options
    if (this.#isLoading === false) return null
    this.#isLoading = (await readBulkLoad(db)) !== null
    if (!this.#isLoading) return null
    const atOnce = databaseKind === 'postgres' ? INDEXES_AT_ONCE : 1
    return async () => {
      await finishBulkLoad(db, { transact: this.#transact, onIndex, atOnce })
      this.#isLoading = false
    }
  }
}
