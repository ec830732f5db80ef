import fp from 'fastify-plugin'
import type { Chain } from '../chain/rpc/client.ts'
import type { Config } from '../config/config.ts'
import type { Db, Transact } from '../db/client.ts'
import type { ReadReplica } from '../db/postgres/read-replica.ts'
import type { Contracts } from '../indexer/engine/contracts.ts'
import { createSyncQueue } from '../indexer/engine/sync-queue.ts'

declare module 'fastify' {
  interface FastifyInstance {
    settings: Config
    /** The databases by kind of work, for code without a request; a handler uses request.db. */
    databases: Databases
    replica: ReadReplica | null
    chain: Chain
    /** The registry of contracts, completed from the chain. Rejects while no node responds. */
    getContracts: () => Promise<Contracts>
    /** Runs transactions of receipt syncs in their own queue: see sync-queue.ts. */
    transactSync: Transact
  }
}

export interface Databases {
  /** For reads that may lag: the replica, if there is one within READ_MAX_LAG_MS, else the primary. */
  replicaReads: Db
  /** For reads, and for small writes outside of requests. */
  reads: Db
  /** For requests that may write, so that they do not wait for reads. */
  writes: Db
}

interface Services {
  config: Config
  db: Db
  /** Unless given, db. */
  writes?: Db
  replica?: ReadReplica | null
  chain: Chain
  getContracts: () => Promise<Contracts>
  transactSync?: Transact
}

/** Decorates the app with the settings, databases and chain client of the process, which opens and closes them. */
export default fp<Services>(
  async (app, { config, db, writes = db, replica = null, chain, getContracts, transactSync }) => {
    app.decorate('settings', config)
    app.decorate('databases', { replicaReads: replica?.db ?? db, reads: db, writes })
    app.decorate('replica', replica)
    app.decorate('chain', chain)
    app.decorate('getContracts', getContracts)
    app.decorate('transactSync', transactSync ?? createSyncQueue(writes, config))
  },
  { name: 'services' },
)
