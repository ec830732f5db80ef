import type { Config } from '../../config/config.ts'
import type { Db, Transact } from '../../db/client.ts'
import { createSemaphore } from '../../lib/concurrency/semaphore.ts'

/**
 * Runs the transactions of receipt syncs, which wait for the apply lock: at most as many at once as they have
 * connections, with a bounded queue and a timeout of the lock's. Others reject with OVERLOADED.
 */
export function createSyncQueue(db: Db, { database, syncQueue }: Pick<Config, 'database' | 'syncQueue'>): Transact {
  const semaphore = createSemaphore({
    concurrency: database.syncConnections,
    queueSize: syncQueue,
    queueTimeoutMs: database.lockMs,
  })
  return (work) => semaphore(() => db.transaction().execute(work))
}
