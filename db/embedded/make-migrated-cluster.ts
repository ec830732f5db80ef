import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type OpenDatabase, openPglite } from '../client.ts'
import { migrateToLatest } from '../migrate.ts'
import { createCluster, findMigratedCluster, MARKER, PREPARED_FOLDER } from './new-cluster.ts'

const LOG_SEGMENT = /^[0-9A-F]{24}$/

/**
 * Makes the cluster that new embedded databases are copies of, unless it exists, and removes those of other versions:
 * migrating takes longer than everything else that the first start does with the database. Returns its folder.
 */
export async function makeMigratedCluster(): Promise<string> {
  const path = findMigratedCluster()
  if (existsSync(join(path, MARKER))) return path
  await mkdir(PREPARED_FOLDER, { recursive: true })
  const folder = await mkdtemp(join(PREPARED_FOLDER, 'new-'))
  try {
    await migrateNewCluster(folder)
    // Another process may have made it meanwhile.
    await rename(folder, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY') throw error
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(`${folder}.lock`, { force: true })
  }
  await removeOthers(path)
  return path
}

async function migrateNewCluster(folder: string): Promise<void> {
  await createCluster(folder)
  const { db, close } = await openPglite(folder)
  await migrateToLatest(db)
  // openDatabase names the channel of each copy.
  await sql`update outbox_state set channel = ''`.execute(db)
  await close()
  // Opened again, it writes the cache of the catalogue, which the migrations have removed.
  await closeWithNewLog(await openPglite(folder), join(folder, 'pg_wal'))
}

/** Closes the database with a new write-ahead log, without the segments of the migrations. */
async function closeWithNewLog({ db, close }: OpenDatabase, folder: string): Promise<void> {
  await sql`select pg_switch_wal()`.execute(db)
  await sql`checkpoint`.execute(db)
  const { rows } = await sql<{ name: string }>`select pg_walfile_name(pg_current_wal_insert_lsn()) as name`.execute(db)
  await close()
  for (const name of await readdir(folder))
    if (LOG_SEGMENT.test(name) && name !== rows[0]?.name) await rm(join(folder, name))
}

async function removeOthers(path: string): Promise<void> {
  for (const name of await readdir(PREPARED_FOLDER)) {
    const other = join(PREPARED_FOLDER, name)
    if (name.startsWith('cluster-') && other !== path) await rm(other, { recursive: true, force: true })
  }
}
