import type { Config } from '../config.ts'
import type { Db, Transact } from '../db/client.ts'
import { createGate } from './gate.ts'

/**
 * Runs the transactions of receipt syncs, which wait for the apply lock: as many at once as they have connections, a bounded
 * number after them, and none longer than the lock is worth waiting for. The others reject with OVERLOADED.
 */
export function createSyncLane(db: Db, { database, syncQueue }: Pick<Config, 'database' | 'syncQueue'>): Transact {
  const gate = createGate({
    running: database.syncConnections,
    waiting: syncQueue,
    patienceMs: database.lockMs,
  })
  return (work) => gate(() => db.transaction().execute(work))
}
