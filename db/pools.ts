import pg from 'pg'
import type { Config } from '../config.ts'
import { nameSession } from './process-name.ts'

const INT8 = 20

/** int8 is read as a number: heights, counts and unix seconds stay far below 2^53. Amounts are numeric, and strings. */
export const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/** What one pool's sessions may do. 0: without limit. */
export interface PoolLimits {
  connections: number
  /** How long one statement may run. */
  statementMs: number
  /** How long a statement may wait for one lock. */
  lockMs: number
  /** How long a transaction may wait for its client: a process that was stopped frees its locks after that. */
  idleInTransactionMs: number
}

export type PoolName = 'reads' | 'writes' | 'syncs' | 'indexer' | 'lease'

export type DatabaseLimits = Config['database']

/** Those of scripts and tests that read no configuration. */
export const DEFAULT_LIMITS: DatabaseLimits = {
  readConnections: 10,
  writeConnections: 4,
  syncConnections: 3,
  statementMs: 15_000,
  lockMs: 5_000,
  indexerStatementMs: 600_000,
}

/** For migrations, and for what takes as long as the database is large. */
export const NO_LIMITS: PoolLimits = { connections: 1, statementMs: 0, lockMs: 0, idleInTransactionMs: 0 }

/** A request that holds its transaction for longer than this is of a process that was stopped. */
const REQUEST_IDLE_MS = 10_000
/** Between two statements of a large batch the indexer computes. */
const INDEXER_IDLE_MS = 60_000
/** A heartbeat that takes longer than this has failed, and is tried again. */
const HEARTBEAT_MS = 3_000

/** Why there are several: a kind of work that waits, for a lock or for its turn, must not keep another from the database. */
export function limitPools(limits: DatabaseLimits): Record<PoolName, PoolLimits> {
  const { readConnections, writeConnections, syncConnections, statementMs, lockMs, indexerStatementMs } = limits
  const ofRequests = { statementMs, lockMs, idleInTransactionMs: REQUEST_IDLE_MS }
  return {
    reads: { ...ofRequests, connections: readConnections },
    writes: { ...ofRequests, connections: writeConnections },
    syncs: { ...ofRequests, connections: syncConnections },
    indexer: {
      connections: 4,
      statementMs: indexerStatementMs,
      // It has nothing better to do than wait, but what it has fetched grows old.
      lockMs: 30_000,
      idleInTransactionMs: INDEXER_IDLE_MS,
    },
    lease: { connections: 1, statementMs: HEARTBEAT_MS, lockMs: HEARTBEAT_MS, idleInTransactionMs: HEARTBEAT_MS },
  }
}

export function createPool(url: string, name: string, limits: PoolLimits, readOnly = false): pg.Pool {
  const { connectionString, prefix, options } = splitUrl(url)
  const pool = new pg.Pool({
    connectionString,
    types,
    max: limits.connections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: nameSession(name, prefix),
    options: [
      // Queries here are short: compiling one takes longer than running it.
      '-c jit=off',
      `-c statement_timeout=${limits.statementMs}`,
      `-c lock_timeout=${limits.lockMs}`,
      `-c idle_in_transaction_session_timeout=${limits.idleInTransactionMs}`,
      ...(readOnly ? ['-c default_transaction_read_only=on'] : []),
      options,
    ].join(' '),
    // The server cannot cancel what has not reached it: without this a heartbeat would wait for a network that is gone.
    ...(name === 'lease' && { query_timeout: limits.statementMs + 1_000 }),
  })
  // A connection that breaks is replaced by the pool, and its query rejects. Without listeners its own event would end the
  // process: the pool's is for idle connections alone.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Parameters of the URL would replace those of the pool: the application's name becomes the first part of ours. */
function splitUrl(url: string): { connectionString: string; prefix: string | undefined; options: string } {
  // pg takes forms that are no URLs, such as one without a host; those have no parameters of these names.
  if (!URL.canParse(url)) return { connectionString: url, prefix: undefined, options: '' }
  const parsed = new URL(url)
  const take = (name: string) => {
    const value = parsed.searchParams.get(name)
    if (value !== null) parsed.searchParams.delete(name)
    return value
  }
  const prefix = take('application_name') ?? undefined
  const options = take('options') ?? ''
  return { connectionString: parsed.href, prefix, options }
}
