import pg from 'pg'
import type { Config } from '../../config/config.ts'
import { splitHosts } from '../../config/database-hosts.ts'
import { parseBytea } from '../hex.ts'
import { nameSession } from '../process-name.ts'
import { findHosts, HostClient } from './hosts.ts'

const INT8 = 20
const BYTEA = 17

/**
 * int8 is parsed as a number: block heights, counts and unix seconds stay far below 2^53. Amounts are numeric, parsed
 * as strings. bytea is parsed as 0x text, because most of it are addresses and hashes.
 */
export const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return Number
    return oid === BYTEA ? parseBytea : pg.types.getTypeParser(oid, format as 'text')
  }) as typeof pg.types.getTypeParser,
}

/** Limits of a pool's sessions. 0: no limit. */
export interface PoolLimits {
  connections: number
  /** statement_timeout */
  statementMs: number
  /** lock_timeout */
  lockMs: number
  /** idle_in_transaction_session_timeout: frees the locks of a stopped process. */
  idleInTransactionMs: number
}

export type PoolName = 'reads' | 'writes' | 'syncs' | 'indexer' | 'lease'

export type DatabaseLimits = Config['database']

/** Limits for scripts and tests that read no configuration. */
export const DEFAULT_LIMITS: DatabaseLimits = {
  readConnections: 10,
  writeConnections: 4,
  syncConnections: 3,
  statementMs: 15_000,
  lockMs: 5_000,
  indexerStatementMs: 600_000,
}

/** For migrations and maintenance, whose duration depends on the size of the database. */
export const NO_LIMITS: PoolLimits = { connections: 1, statementMs: 0, lockMs: 0, idleInTransactionMs: 0 }

/** A request never idles inside a transaction for this long, unless its process was stopped. */
const REQUEST_IDLE_MS = 10_000
/** The indexer computes between the statements of a large batch. */
const INDEXER_IDLE_MS = 60_000
/** A slower heartbeat has failed, and is retried. */
const HEARTBEAT_MS = 3_000

/** Separate pools, so that work waiting for a lock or a connection does not block other kinds of work. */
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
      // The indexer can wait, but its fetched batch becomes stale.
      lockMs: 30_000,
      idleInTransactionMs: INDEXER_IDLE_MS,
    },
    lease: { connections: 1, statementMs: HEARTBEAT_MS, lockMs: HEARTBEAT_MS, idleInTransactionMs: HEARTBEAT_MS },
  }
}

/**
 * How every connection to PostgreSQL is made: the limits are sent as `options`, which poolers can be configured to accept, and
 * `name` becomes part of application_name.
 */
function describeSession(url: string, name: string, limits: PoolLimits, readOnly = false): pg.ClientConfig {
  const { connectionString, prefix, options } = splitUrl(url)
  return {
    connectionString,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: nameSession(name, prefix),
    options: [
      // Queries are short: JIT compilation takes longer than running them.
      '-c jit=off',
      `-c statement_timeout=${limits.statementMs}`,
      `-c lock_timeout=${limits.lockMs}`,
      `-c idle_in_transaction_session_timeout=${limits.idleInTransactionMs}`,
      ...(readOnly ? ['-c default_transaction_read_only=on'] : []),
      options,
    ].join(' '),
  }
}

/** The parts of the configuration that the number of connections depends on. */
type Connecting = Pick<Config, 'role' | 'redis' | 'databaseReadUrl' | 'database'>

/** The most connections that a process opens to the primary and to the read replica. */
export function countConnections({ role, redis, databaseReadUrl, database }: Connecting) {
  const { reads, writes, syncs, indexer, lease } = limitPools(database)
  const ofRequests = role === 'indexer' ? reads.connections : reads.connections + writes.connections + syncs.connections
  const ofIndexer = role === 'api' ? 0 : indexer.connections + lease.connections
  const ofNotifications = redis === null ? 1 : 0
  return {
    primary: ofRequests + ofIndexer + ofNotifications,
    replica: databaseReadUrl === null || role === 'indexer' ? 0 : reads.connections,
  }
}

/** Pools whose statements end here soon after the server would have ended them. pg closes the connection, because its answer is unknown. */
const BOUNDED: ReadonlySet<string> = new Set(['reads', 'writes', 'syncs', 'lease', 'replica'])

/** Creates a pool whose sessions have these limits. */
export function createPool(url: string, name: string, limits: PoolLimits, readOnly = false): pg.Pool {
  const hosts = findHosts(url)
  const pool = new pg.Pool({
    ...describeSession(url, name, limits, readOnly),
    ...(hosts && { Client: HostClient as unknown as typeof pg.Client, hosts }),
    types,
    max: limits.connections,
    idleTimeoutMillis: 30_000,
    // For pipelineStatements. Other callers await each statement.
    pipeline: true,
    // The server cannot cancel a statement that never reached it, as on a broken network or behind a pooler that hangs. Statements of
    // the indexer are sent ahead, and wait for each other.
    ...(BOUNDED.has(name) && { query_timeout: limits.statementMs + 1_000 }),
  })
  outliveConnections(pool)
  return pool
}

/** Creates a connection of its own with these limits. */
export function createClient(url: string, name: string, limits: PoolLimits): pg.Client {
  const config = describeSession(url, name, limits)
  const hosts = findHosts(url)
  return hosts ? new HostClient({ ...config, hosts }) : new pg.Client(config)
}

/**
 * The pool replaces a broken connection, and its query rejects. Without these listeners the connection's error event would
 * end the process; the pool's own event covers idle connections only.
 */
export function outliveConnections(pool: pg.Pool): void {
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
}

/** Removes URL parameters that would override the pool's: application_name becomes a prefix, options are appended. */
function splitUrl(text: string): { connectionString: string; prefix: string | undefined; options: string } {
  const [url = ''] = splitHosts(text).urls
  // pg also accepts connection strings that are not URLs, such as one without a host; they have no such parameters.
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
