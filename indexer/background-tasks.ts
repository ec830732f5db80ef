import { watchHeads } from '../chain/rpc/watch-heads.ts'
import type { Transact } from '../db/client.ts'
import { runThinning } from './archive/thin.ts'
import type { Applied } from './engine/apply.ts'
import type { Contracts } from './engine/contracts.ts'
import { backfillDeployments } from './engine/deployments/backfill-deployments.ts'
import type { Lease } from './engine/lease.ts'
import { runReadRetries } from './engine/reads/retry-reads.ts'
import { recoverLogs } from './engine/recover-logs.ts'
import { runProofs } from './engine/run-proofs.ts'
import type { IndexerServices } from './services.ts'

export interface BackgroundOptions {
  lease: Lease
  contracts: Contracts
  /** Runs a transaction behind the fence of the lease. */
  transact: Transact
  signal: AbortSignal
  /** Whether the follower is at the head: some tasks wait for that. */
  isCaughtUp: () => boolean
  /** Called when a node announces a block. */
  onHead: () => void
  /** Called for each batch of the backfill of an added contract. */
  onApplied: (applied: Applied) => void
}

/** Starts what runs beside the follower. Returns a function that stops all of it, and resolves when it has ended. */
export function startBackgroundTasks(
  { chain, config, database, log, ...services }: IndexerServices,
  { contracts, lease, transact, onApplied, onHead, ...options }: BackgroundOptions,
): () => Promise<void> {
  const stopping = new AbortController()
  const signal = AbortSignal.any([options.signal, stopping.signal])
  const isCaughtUp = () => options.isCaughtUp() && lease.isHeld()
  const shared = { db: database.indexer, chain, contracts, fence: lease.fence, transact, log, signal }
  if (config.rpcSocketUrl !== null) {
    watchHeads(config.rpcSocketUrl, onHead, signal, {
      identities: chain.nodes.identities,
      onWrong: (reason) => log.warn({ reason }, 'The node of RPC_SOCKET_URL is not used; the head is polled'),
    })
  }
  let isBackfilling = true
  const backfilling = backfillDeployments({ ...shared, onApplied }).finally(() => {
    isBackfilling = false
  })
  const tasks = [
    backfilling,
    runProofs({
      ...shared,
      requestsPerSecond: config.proofRequestsPerSecond,
      // Logs that a backfill has not reached would be taken for missing.
      isCaughtUp: () => isCaughtUp() && !isBackfilling,
      ...(services.onApplied && { onApplied: services.onApplied }),
      ...(services.onDifference && { onDifference: services.onDifference }),
    }),
    recoverLogs(shared),
    runReadRetries({ ...shared, isCaughtUp }),
    runThinning({
      db: database.indexer,
      days: config.fineCandleDays,
      isReady: isCaughtUp,
      onThinned: (partition) => log.info({ partition }, 'Removed candles shorter than an hour'),
      onError: (err) => log.error({ err }, 'Removing old candles failed; it is tried again in a minute'),
      signal,
    }),
  ]
  return async () => {
    stopping.abort()
    await Promise.all(tasks)
  }
}
