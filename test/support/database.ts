import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type OpenDatabase, openDatabase, openPglite } from '../../db/client.ts'
import { copyPreparedFiles, copyPreparedPglite, copyPreparedPostgres, dropPostgres } from './prepared-database.ts'

/** Server of the test databases: PostgreSQL at TEST_DATABASE_URL, or PGlite if it is unset. */
export const serverUrl = process.env.TEST_DATABASE_URL || null

/** The part of the configuration that openDatabase reads. */
export interface DatabasePlace {
  databaseUrl: string | null
  dataDir: string
}

/** A migrated database of the test's own, gone when the test ends. PGlite in memory, or on TEST_DATABASE_URL. */
export async function createTestDatabase(t: Test): Promise<OpenDatabase> {
  if (serverUrl !== null) {
    const databaseUrl = await createPostgres(t, serverUrl)
    return openTestDatabase(t, { databaseUrl, dataDir: '' })
  }
  const database = await openPglite('memory://', undefined, await copyPreparedFiles())
  t.teardown(() => database.close())
  return database
}

/** A migrated database that several processes open, one after another or (on PostgreSQL) at once. */
export async function createDatabasePlace(t: Test): Promise<DatabasePlace> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-test-'))
  t.teardown(() => rm(dataDir, { recursive: true, force: true }))
  const databaseUrl = serverUrl && (await createPostgres(t, serverUrl))
  if (databaseUrl === null) await copyPreparedPglite(join(dataDir, 'database'))
  return { databaseUrl, dataDir }
}

/** Opens it for as long as the test lasts. */
export async function openTestDatabase(t: Test, place: DatabasePlace): Promise<OpenDatabase> {
  const database = await openDatabase(place)
  t.teardown(() => database.close())
  return database
}

async function createPostgres(t: Test, server: string): Promise<string> {
  const name = `slipway_test_${process.pid}_${randomBytes(6).toString('hex')}`
  const url = await copyPreparedPostgres(server, name)
  t.teardown(() => dropPostgres(server, name))
  return url
}
