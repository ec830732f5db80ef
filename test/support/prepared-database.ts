import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import type { Filesystem } from '@electric-sql/pglite/basefs'
import pg from 'pg'
import { distribute, SESSION_SETTINGS } from '../../db/citus/distribute.ts'
import { openDatabase } from '../../db/client.ts'
import { makeMigratedCluster } from '../../db/embedded/make-migrated-cluster.ts'
import { findMigratedCluster } from '../../db/embedded/new-cluster.ts'
import { joinNodes } from '../deploy/citus/start-nodes.ts'
import type { Files } from './prepared-files.ts'

// A migrated database is created once and copied for each test: migrating takes longer than most tests.

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/test-databases', import.meta.url))
/** PGlite fills them with zeros whenever a database is opened, which tests do thousands of times. */
const SETTINGS = 'shared_buffers = 2MB\n'

/** Hash of everything that a prepared database depends on, so that a change creates another. */
function fingerprint(): string {
  const hash = createHash('sha256').update(basename(findMigratedCluster()))
  for (const file of ['prepared-database.ts', 'prepared-files.ts', '../../db/citus/distribute.ts'])
    hash.update(readFileSync(new URL(file, import.meta.url)))
  return hash.digest('hex').slice(0, 16)
}

let files: Promise<Files> | undefined

/** The files of a migrated PGlite database in memory, for one database to begin with. */
export async function copyPreparedFiles(): Promise<Filesystem> {
  files ??= findFiles()
  // Imported on demand: with TEST_DATABASE_URL PGlite is not loaded.
  const { PreparedFiles } = await import('./prepared-files.ts')
  return new PreparedFiles(await files)
}

/** Copies the files of a migrated PGlite database to a folder, which must not exist: `database` in DATA_DIR of a service. */
export async function copyPreparedPglite(folder: string): Promise<void> {
  const path = join(CACHE, fingerprint())
  if (!existsSync(path)) await preparePglite(path)
  // Hundreds of small files: without waiting for each, in a fifth of the time.
  cpSync(path, folder, { recursive: true })
}

async function findFiles(): Promise<Files> {
  const path = join(CACHE, fingerprint())
  const found = await readFile(`${path}.files`).catch(() => undefined)
  return found ? deserialize(found) : await preparePglite(path)
}

/** Writes the database to `path`, then all of its files as one beside it: opening hundreds takes longer than reading them. */
async function preparePglite(path: string): Promise<Files> {
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, 'new-'))
  try {
    const database = join(folder, 'database')
    cpSync(await makeMigratedCluster(), database, { recursive: true })
    await appendFile(join(database, 'postgresql.conf'), SETTINGS)
    const { readFiles } = await import('./prepared-files.ts')
    const files = await readFiles(database)
    // Renamed when it is whole: files of the run that begin meanwhile make their own, of which one stays.
    await rename(database, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY') throw error
    })
    await writeFile(join(folder, 'files'), serialize(files))
    await rename(join(folder, 'files'), `${path}.files`)
    return files
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Creates a migrated database on a PostgreSQL server. Returns its URL. If TEST_CITUS_WORKERS names the workers of the server, a
 * coordinator of Citus, it is distributed over them.
 */
export async function copyPreparedPostgres(server: string, name: string): Promise<string> {
  const template = await preparePostgres(server)
  await Promise.all([server, ...workers].map((node) => runOn(node, `create database ${name} template ${template}`)))
  const url = onServer(server, name)
  // Names the database to processes that share a Redis: a copy with the same name would get the events of another test.
  if (workers.length > 0) await runOn(url, SESSION_SETTINGS)
  await runOn(url, 'update outbox_state set channel = gen_random_uuid()::text')
  return url
}

/** Drops a database that copyPreparedPostgres has created. Forced: the server may not have noticed yet that a test killed a process. */
export async function dropPostgres(server: string, name: string): Promise<void> {
  for (const node of [server, ...workers]) await runOn(node, `drop database if exists ${name} with (force)`)
}

/** URLs of the workers, if the server is a coordinator of Citus. */
const workers = (process.env.TEST_CITUS_WORKERS ?? '').split(',').filter((url) => url !== '')

/** The URL of a database on the server of another one. */
function onServer(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Runs a statement on the database of a URL. */
export async function runOn(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/**
 * Distributes a migrated database over the workers. Copies of it on all nodes are a distributed database, too, because the nodes find
 * each other by the name of the database.
 */
async function distributeTemplate(server: string, name: string): Promise<void> {
  for (const worker of workers) {
    await runOn(worker, `drop database if exists ${name} with (force)`)
    await runOn(worker, `create database ${name}`)
  }
  const [coordinator, ...others] = [server, ...workers].map((node) => onServer(node, name))
  await joinNodes(coordinator as string, others)
  const { db, close } = await openDatabase({ databaseUrl: coordinator as string, dataDir: '' })
  await distribute(db, { shards: SHARDS }).finally(close)
  // A database with sessions cannot be copied, and the extension opens one in each that it may connect to.
  for (const node of [server, ...workers]) {
    await runOn(node, `alter database ${name} allow_connections false`)
    await runOn(node, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  }
}

/** Few, because each is a table on a worker in every database of a test; more than workers, so that some have several. */
const SHARDS = 4

/** The name of a migrated database on a PostgreSQL server, to be the template of others. It stays there. */
async function preparePostgres(server: string): Promise<string> {
  const name = `slipway_template_${fingerprint()}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    // One process of a run creates it, under a temporary name; the others wait.
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) {
      await client.query(`drop database if exists ${name}_new with (force)`)
      await client.query(`create database ${name}_new`)
      await (await openDatabase({ databaseUrl: onServer(server, `${name}_new`), dataDir: '' })).close()
      if (workers.length > 0) await distributeTemplate(server, `${name}_new`)
      for (const node of [server, ...workers]) await runOn(node, `alter database ${name}_new rename to ${name}`)
    }
  } finally {
    await client.end()
  }
  return name
}
