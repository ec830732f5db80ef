import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parseTar } from 'nanotar'

/** Databases that only `create database` reads, which nothing here does: two thirds of the files. */
const TEMPLATES = /^base\/[14](\/|$)/
/** Says that a folder holds a cluster. Written last, so that an interrupted unpacking is repeated. */
export const MARKER = 'PG_VERSION'

/** Writes a new cluster for PGlite to an existing folder. PGlite's own unpacking creates each file twice. */
export async function unpackCluster(folder: string): Promise<void> {
  const { dataDir } = await import('@electric-sql/pglite-prepopulatedfs')
  const archive = gunzipSync(await (await dataDir()).arrayBuffer())
  const entries = parseTar(new Uint8Array(archive))
    .filter(({ name }) => !TEMPLATES.test(name))
    .sort((a, b) => Number(a.name === MARKER) - Number(b.name === MARKER))
  for (const { name, type, data } of entries) {
    const path = join(folder, name)
    if (type === 'directory') mkdirSync(path, { recursive: true })
    else writeFileSync(path, data ?? '')
  }
}
