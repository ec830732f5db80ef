import { join } from 'node:path'
import type { Filesystem } from '@electric-sql/pglite/basefs'
import { Kysely, type LogEvent, type Transaction } from 'kysely'
import pg from 'pg'
import type { Config } from '../config/config.ts'
import { SetupError } from '../errors.ts'
import { createEmbeddedDialect } from './embedded/dialect.ts'
import { lockFolder } from './embedded/folder-lock.ts'
import { isPgliteInstalled } from './embedded/is-installed.ts'
import { type EmbeddedServer, openEmbeddedServer } from './embedded/server.ts'
import { EmbeddedStream } from './embedded/stream.ts'
import { openEmbeddedThread } from './embedded/thread.ts'
import { loadMigrations, migrateToLatest } from './migrate.ts'
import { findPoolingBefore, migrateServer } from './postgres/migrate-server.ts'
import { UNPOOLED } from './postgres/pooler.ts'
import { createPool, DEFAULT_LIMITS, limitPools, outliveConnections, type PoolName, types } from './postgres/pools.ts'
import { openReadReplica, type ReadReplica } from './postgres/read-replica.ts'
import { PostgresServerDialect } from './postgres/server.ts'
import { nameChannel } from './queries/outbox.ts'
import type { Database } from './schema.ts'

const NO_PGLITE = {
  variable: 'DATABASE_URL',
  problem: 'is not set, and the embedded database (@electric-sql/pglite) is not installed',
  remedy: 'Set it to the URL of a PostgreSQL, or install everything with `npm ci`',
}

export type Db = Kysely<Database>

/** Runs work in a transaction. */
export type Transact = <T>(work: (trx: Transaction<Database>) => Promise<T>) => Promise<T>

export interface OpenDatabase {
  /** For reads, and for small writes outside requests. */
  db: Db
  /** For requests that may write: a separate pool, so that reads cannot exhaust it. */
  writes: Db
  /** For transactions of receipt syncs, which may wait for the apply lock. */
  syncs: Db
  /** For the indexer, and for scripts that write indexed data. */
  indexer: Db
  /** One connection, for the leader lease of the indexers. */
  lease: pg.Pool
  /** All pools by name, for metrics. PGlite has one pool with one connection. */
  pools: Readonly<Record<string, pg.Pool>>
  kind: 'postgres' | 'pglite'
  /** For reads that tolerate lag, if a replica is configured. */
  replica?: ReadReplica
  close(): Promise<void>
}

/** Called after each query with its SQL (placeholders, no parameter values) and duration. */
export type OnQuery = (query: { sql: string; milliseconds: number; failed: boolean }) => void

export type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir'> &
  Partial<Pick<Config, 'databaseDirectUrl' | 'databaseReadUrl' | 'readMaxLagMs' | 'role' | 'redis' | 'database'>>

/**
 * Opens the configured database and migrates it to the latest schema: PostgreSQL at DATABASE_URL, else PGlite
 * (PostgreSQL compiled to WebAssembly) in DATA_DIR. Both use the pg driver. onProgress gets a line for each step of a long
 * migration, and while it waits for a server that starts.
 *
 * @throws SetupError if PostgreSQL cannot be reached or does not suit
 */
export async function openDatabase(
  config: DatabaseConfig,
  onQuery?: OnQuery,
  onProgress?: (line: string) => void,
): Promise<OpenDatabase> {
  if (config.databaseUrl) await migrateServer({ ...config, databaseUrl: config.databaseUrl }, onProgress)
  const opened = await connectDatabase(config, onQuery)
  if (config.databaseUrl) return opened
  try {
    await migrateToLatest(opened.db, loadMigrations, onProgress)
    await nameChannel(opened.db)
  } catch (error) {
    await opened.close()
    throw error
  }
  return opened
}

/** Opens the configured database without migrating it. */
export async function connectDatabase(config: DatabaseConfig, onQuery?: OnQuery): Promise<OpenDatabase> {
  const { databaseUrl, databaseDirectUrl, dataDir } = config
  if (!databaseUrl) return await openPglite(join(dataDir, 'database'), onQuery)
  const { prepares } = databaseDirectUrl ? await findPoolingBefore(databaseUrl) : UNPOOLED
  return openPostgres(databaseUrl, config, prepares, onQuery)
}

function openPostgres(
  url: string,
  config: DatabaseConfig,
  prepares: boolean,
  onQuery: OnQuery | undefined,
): OpenDatabase {
  const { databaseDirectUrl, databaseReadUrl, readMaxLagMs = 0, role, database: limits = DEFAULT_LIMITS } = config
  const allowed = limitPools(limits)
  const open = (name: PoolName, at = url) => createPool(at, name, allowed[name])
  const [reads, writes, syncs] = [open('reads'), open('writes'), open('syncs')]
  // The lease belongs to a session, and a successor ends the sessions of a paused indexer.
  const [indexer, lease] = [open('indexer', databaseDirectUrl ?? url), open('lease', databaseDirectUrl ?? url)]
  const on = (pool: pg.Pool) =>
    new Kysely<Database>({ dialect: new PostgresServerDialect(pool, { prepares }), ...logTo(onQuery) })
  // No replica for the indexer: it writes values derived from its reads, which must not be stale.
  const replica =
    databaseReadUrl && role !== 'indexer'
      ? openReadReplica({
          pool: createPool(databaseReadUrl, 'replica', allowed.reads),
          primary: reads,
          maxLagMs: readMaxLagMs,
          ...logTo(onQuery),
        })
      : undefined
  return {
    ...{ db: on(reads), writes: on(writes), syncs: on(syncs), indexer: on(indexer) },
    lease,
    pools: { reads, writes, syncs, indexer, lease, ...(replica && { replica: replica.pool }) },
    kind: 'postgres',
    ...(replica && { replica }),
    close: async () => {
      await replica?.close()
      for (const pool of [reads, writes, syncs, indexer, lease]) if (!pool.ending) await pool.end()
    },
  }
}

const logTo = (onQuery: OnQuery | undefined) =>
  onQuery && {
    log: ({ level, query, queryDurationMillis }: LogEvent) =>
      onQuery({ sql: query.sql, milliseconds: queryDurationMillis, failed: level === 'error' }),
  }

/**
 * Opens or creates a PGlite database in a folder, in a thread of its own. If the thread ends, the next connection opens
 * the folder again. One process per folder. A database in memory (`memory://`) runs in this thread; `files` hold it if it
 * is not to be empty. Throws a SetupError where PGlite is not installed.
 */
export async function openPglite(folder: string, onQuery?: OnQuery, files?: Filesystem): Promise<OpenDatabase> {
  if (!isPgliteInstalled()) throw new SetupError(NO_PGLITE)
  const inMemory = folder.startsWith('memory://')
  const release = inMemory ? async () => {} : await lockFolder(folder)
  const opening = inMemory ? openEmbeddedServer(folder, files) : openThread(folder)
  let server = await opening.catch(async (error: unknown) => {
    await release()
    throw error
  })
  const stream = () => {
    if (server.isEnded?.()) server = openEmbeddedThread(folder)
    return new EmbeddedStream(server)
  }
  const pool = new pg.Pool({ types, max: 1, idleTimeoutMillis: 0, user: 'postgres', stream })
  outliveConnections(pool)
  const db = new Kysely<Database>({ dialect: createEmbeddedDialect(pool, () => server), ...logTo(onQuery) })
  const close = async () => {
    await db.destroy()
    await server.close()
    await release()
  }
  return { db, writes: db, syncs: db, indexer: db, lease: pool, pools: { embedded: pool }, kind: 'pglite', close }
}

async function openThread(folder: string): Promise<EmbeddedServer> {
  const thread = openEmbeddedThread(folder)
  await thread.opened
  return thread
}
