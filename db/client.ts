import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely, type LogEvent, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Config } from '../config.ts'
import { CopyingClient, CopyingDialect } from './copy.ts'
import { migrateToLatest } from './migrate.ts'
import { openReadReplica, type ReadReplica } from './read-replica.ts'
import { RoutingDialect } from './routing-dialect.ts'
import type { Database } from './schema.ts'

const INT8 = 20

/** int8 is read as a number: heights, counts and unix seconds stay far below 2^53. Amounts are numeric, and strings. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

export type Db = Kysely<Database>

export interface OpenDatabase {
  db: Db
  pool: pg.Pool
  kind: 'postgres' | 'pglite'
  /** Where reads that may be late go, if the configuration names one. */
  replica?: ReadReplica
  close(): Promise<void>
}

/** Told of every query when it is over: its text, with placeholders for what it was given, and how long it took. */
export type OnQuery = (query: { sql: string; milliseconds: number; failed: boolean }) => void

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir'> &
  Partial<Pick<Config, 'databaseReadUrl' | 'readMaxLagMs' | 'role'>>

/**
 * Opens the database that the configuration names and brings its schema up to date: PostgreSQL at DATABASE_URL, else
 * PGlite (PostgreSQL compiled to WebAssembly) in DATA_DIR. Both are spoken to by the same driver.
 */
export async function openDatabase(config: DatabaseConfig, onQuery?: OnQuery): Promise<OpenDatabase> {
  const { databaseUrl } = config
  const opened = databaseUrl
    ? openPostgres(databaseUrl, config, onQuery)
    : await openPglite(join(config.dataDir, 'database'), onQuery)
  try {
    await migrateToLatest(opened.db)
  } catch (error) {
    await opened.close()
    throw error
  }
  return opened
}

function openPostgres(url: string, config: DatabaseConfig, onQuery: OnQuery | undefined): OpenDatabase {
  const { databaseReadUrl, readMaxLagMs = 0, role } = config
  const pool = createPool(url)
  const primary = new CopyingDialect({ pool })
  // What the indexer reads, it writes back.
  if (!databaseReadUrl || role === 'indexer') {
    const db = new Kysely<Database>({ dialect: primary, ...logTo(onQuery) })
    return { db, pool, kind: 'postgres', close: () => db.destroy() }
  }
  const replica = openReadReplica(createPool(databaseReadUrl), pool, readMaxLagMs)
  const db = new Kysely<Database>({ dialect: new RoutingDialect(primary, replica), ...logTo(onQuery) })
  const close = async () => {
    await replica.close()
    await db.destroy()
  }
  return { db, pool, kind: 'postgres', replica, close }
}

const logTo = (onQuery: OnQuery | undefined) =>
  onQuery && {
    log: ({ level, query, queryDurationMillis }: LogEvent) =>
      onQuery({ sql: query.sql, milliseconds: queryDurationMillis, failed: level === 'error' }),
  }

function createPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    types,
    max: 16,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    application_name: 'slipway',
    Client: CopyingClient,
    // Queries here are short: compiling one takes longer than running it.
    options: '-c jit=off',
  })
  // A connection that breaks is replaced by the pool, and whoever was using it is told by the query. Without listeners
  // its own event would end the process: the pool's is for idle connections alone.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * Opens (or makes) a PGlite database in a folder; `memory://` keeps it in memory. One process at a time. A new one begins
 * with the files of the archive given, else empty.
 */
export async function openPglite(folder: string, onQuery?: OnQuery, archive?: Blob): Promise<OpenDatabase> {
  // Loaded only when needed: a production process with a DATABASE_URL never pays for it.
  const { PGlite } = await import('@electric-sql/pglite')
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres')
  const { pg_trgm } = await import('@electric-sql/pglite/contrib/pg_trgm')
  const { dataDir } = await import('@electric-sql/pglite-prepopulatedfs')
  const inMemory = folder.startsWith('memory://')
  const release = inMemory ? async () => {} : await lockFolder(folder)
  // An empty cluster is unpacked in a third of the time that initdb takes to make one.
  const isNew = inMemory || !existsSync(join(folder, 'PG_VERSION'))
  const pglite = await PGlite.create({
    dataDir: folder,
    extensions: { pg_trgm },
    relaxedDurability: false,
    ...(isNew && { loadDataDir: archive ?? (await dataDir()) }),
  }).catch(async (error: unknown) => {
    await release()
    throw error
  })
  const { connection } = createPgConfig(pglite)
  const pool = new pg.Pool({ types, max: 1, idleTimeoutMillis: 0, ...{ connection } } as pg.PoolConfig)
  pool.on('error', () => {})
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }), ...logTo(onQuery) })
  const close = async () => {
    await db.destroy()
    await pglite.close()
    await release()
  }
  return { db, pool, kind: 'pglite', close }
}

/**
 * Two processes on one PGlite folder corrupt it, and PGlite itself does not notice: a pid file does. The folder is made if
 * it is not there; `holding` says what is in it. Resolves to what frees it.
 * @throws Error that names the other process
 */
export async function lockFolder(folder: string, holding = 'database'): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true })
  const path = `${folder}.lock`
  for (;;) {
    try {
      const file = await open(path, 'wx')
      await file.writeFile(String(process.pid))
      await file.close()
      return () => rm(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = Number(await readFile(path, 'utf8').catch(() => ''))
    if (owner !== process.pid && owner > 0 && isRunning(owner)) {
      throw new Error(
        `The ${holding} in ${folder} is in use by process ${owner}. Stop that one first, or set DATA_DIR to another folder.`,
      )
    }
    await rm(path, { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
