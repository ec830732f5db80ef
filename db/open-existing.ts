import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Config } from '../config/config.ts'
import { connectDatabase, type Db, type OpenDatabase, openPglite } from './client.ts'
import { requireCurrentSchema } from './migrate.ts'
import { createPool, NO_LIMITS } from './postgres/pools.ts'
import type { Database } from './schema.ts'

interface Closable {
  db: Db
  close(): Promise<void>
}

/**
 * Opens an existing database to read it: nothing is created or migrated, and every transaction is read-only. A role
 * with select privileges is enough.
 *
 * @throws Error with instructions if there is no database or its schema is of another version
 */
export async function openReadOnly({
  databaseUrl,
  databaseDirectUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Pick<Config, 'databaseDirectUrl'>>): Promise<Closable> {
  // A pooler may not pass on that sessions are read-only.
  return requireCurrent(databaseUrl ? openPostgres(databaseDirectUrl ?? databaseUrl) : await openEmbedded(dataDir))
}

/** Opens an existing database to write it, unless its schema is of another version. @throws as openReadOnly */
export async function openExisting(config: Config): Promise<OpenDatabase> {
  if (config.databaseUrl === null) requireEmbedded(config.dataDir)
  return requireCurrent(await connectDatabase(config))
}

async function requireCurrent<T extends Closable>(opened: T): Promise<T> {
  try {
    await requireCurrentSchema(opened.db)
  } catch (error) {
    await opened.close()
    throw error
  }
  return opened
}

function openPostgres(url: string): Closable {
  const pool = createPool(url, 'audit', NO_LIMITS, true)
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  return { db, close: () => db.destroy() }
}

async function openEmbedded(dataDir: string): Promise<Closable> {
  requireEmbedded(dataDir)
  const { db, close } = await openPglite(join(dataDir, 'database'))
  // PGlite has one connection, so the setting applies to every transaction.
  await sql`set default_transaction_read_only = on`.execute(db)
  return { db, close }
}

/** PGlite would create a database in an empty folder. */
function requireEmbedded(dataDir: string): void {
  if (existsSync(join(dataDir, 'database', 'PG_VERSION'))) return
  throw new Error(`There is no database in ${dataDir}. Set DATABASE_URL, or DATA_DIR to the folder of the service.`)
}
