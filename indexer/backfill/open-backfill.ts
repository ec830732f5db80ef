import type { Chain } from '../../chain/rpc/client.ts'
import { type Backfill, isLinkedTo } from '../engine/backfill.ts'
import type { Contracts } from '../engine/contracts.ts'
import { Fetcher } from '../engine/fetch.ts'
import { BulkLoading, type BulkLoadingOptions } from './bulk-loading.ts'
import { openExtension } from './extend-batch.ts'
import { type BatchSizes, RangePrefetcher } from './range-prefetcher.ts'

/** In blocks. A shorter backfill may end before a worker thread has started. */
const LONG_BACKFILL = 64

export interface BackfillOptions extends BulkLoadingOptions {
  chain: Chain
  contracts: Contracts
  /** Sizes of the batches; for tests. */
  batchSizes?: BatchSizes | undefined
  /** A clock in milliseconds; for tests. */
  now?: (() => number) | undefined
  /** When it aborts, a batch is extended no further. */
  signal?: AbortSignal | undefined
}

/**
 * A backfill that keeps node, processor and database busy at the same time: the next ranges are requested and decoded while one is
 * written, a transaction takes those that have arrived, and the indexes of a database that is filled are created at the end.
 */
export function openBackfill(options: BackfillOptions): Backfill {
  const { chain, contracts, databaseKind, db, now, signal } = options
  const openFetcher = (after: number) => Fetcher.open(db, chain, contracts, after, now)
  const prefetcher = new RangePrefetcher({ db, contracts, databaseKind, sizes: options.batchSizes, openFetcher })
  const loading = new BulkLoading(options)
  return {
    async take(checkpoint, limit) {
      if (limit - checkpoint.number >= LONG_BACKFILL) chain.prepareWorker()
      const range = await prefetcher.take(checkpoint.number, limit)
      if (isLinkedTo(range, checkpoint)) await loading.consider(range, checkpoint.number, limit)
      return range
    },
    async openExtension(trx, batch) {
      // A batch that takes more ranges would start the bulk load too late.
      if (!loading.isDecided) return undefined
      return openExtension(trx, batch, {
        takeRange: async (accepts) => (signal?.aborted ? undefined : prefetcher.takeMore(accepts)),
      })
    },
    findRemainder: () => loading.findRemainder(),
    clear: () => prefetcher.clear(),
  }
}
