import { createHash } from 'node:crypto'
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { parseTar } from 'nanotar'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Where scripts/prepare-database.ts, which runs after an installation, keeps the migrated cluster. */
export const PREPARED_FOLDER = join(ROOT, 'node_modules/.cache/slipway')
/** Databases that only `create database` reads, which nothing here does: two thirds of the files. */
const TEMPLATES = /^base\/[14](\/|$)/
/** For one connection. PGlite fills all shared memory with zeros whenever it opens a database: 128 MB would take half a second. */
const SETTINGS = 'shared_buffers = 32MB\nmax_connections = 5\nmax_wal_senders = 0\n'
/** Says that a folder holds a cluster. Written last, so that an interrupted creation is repeated. */
export const MARKER = 'PG_VERSION'

/** Writes a new cluster for PGlite to an existing folder: a copy of the migrated one if there is one, else an empty one. */
export async function createCluster(folder: string, migrated = findMigratedCluster()): Promise<void> {
  if (!existsSync(join(migrated, MARKER))) return await unpackCluster(folder)
  // Hundreds of small files: without waiting for each, in a fifth of the time.
  cpSync(migrated, folder, { recursive: true, filter: (source) => source !== join(migrated, MARKER) })
  cpSync(join(migrated, MARKER), join(folder, MARKER))
}

/**
 * The folder of a cluster with the schema of this version, which may not exist: see make-migrated-cluster.ts. Its name
 * has a hash of everything that the cluster depends on.
 */
export function findMigratedCluster(): string {
  const hash = createHash('sha256')
  const migrations = readdirSync(join(ROOT, 'db/migrations')).sort()
  const paths = [
    ...migrations.map((name) => `db/migrations/${name}`),
    'db/migrate.ts',
    'db/embedded/new-cluster.ts',
    'db/embedded/make-migrated-cluster.ts',
    'node_modules/@electric-sql/pglite/package.json',
  ]
  for (const path of paths) hash.update(path).update(readFileSync(join(ROOT, path)))
  return join(PREPARED_FOLDER, `cluster-${hash.digest('hex').slice(0, 16)}`)
}

/** Writes PGlite's own empty cluster. PGlite's unpacking creates each file twice. */
async function unpackCluster(folder: string): Promise<void> {
  const { dataDir } = await import('@electric-sql/pglite-prepopulatedfs')
  const archive = gunzipSync(await (await dataDir()).arrayBuffer())
  const entries = parseTar(new Uint8Array(archive))
    .filter(({ name }) => !TEMPLATES.test(name))
    .sort((a, b) => Number(a.name === MARKER) - Number(b.name === MARKER))
  for (const { name, type, data } of entries) {
    const path = join(folder, name)
    if (type === 'directory') mkdirSync(path, { recursive: true })
    else writeFileSync(path, data ?? '')
    if (name === 'postgresql.conf') appendFileSync(path, SETTINGS)
  }
}
