import { sql } from 'kysely'
import { appendRows, type BulkTarget } from '../../db/bulk.ts'
import type { Db } from '../../db/client.ts'
import type { ValueType } from '../../db/postgres/binary-values.ts'
import type { Database } from '../../db/schema.ts'
import { type Entry, listEntries } from './entries.ts'
import { ArchiveMismatchError, compareWithTable, fetchPart, type Manifest, manifestOf, sha256 } from './objects.ts'
import type { ArchivePlace } from './open-place.ts'
import { readPart } from './parquet.ts'
import { createReplacement, swap } from './swap.ts'
import { type ArchivedRow, type ColumnType, readColumns, TABLES } from './tables.ts'

export interface RestoreOptions {
  db: Db
  place: ArchivePlace
  /** The name of the partition. */
  name: string
  onProgress: (line: string) => void
}

/** The archived partition of a name. Throws Error if there is none. */
export async function findArchived(db: Db, name: string): Promise<Entry> {
  const entry = (await listEntries(db)).find((other) => other.name === name)
  if (entry?.state === 'archived') return entry
  throw new Error(
    entry ? `${name} is not archived: its rows are in the database` : `There is no partition ${name}; see --list`,
  )
}

/**
 * Brings the rows of an archive back: they are loaded into a table of their own, compared with the files row by row, and take
 * their place in one transaction. Throws ArchiveMismatchError if anything differs from what was written; nothing is changed then.
 */
export async function restore({ db, place, name, onProgress }: RestoreOptions): Promise<number> {
  const entry = await findArchived(db, name)
  const manifest = await readManifest(db, place, entry)
  const replacement = await createReplacement(db, entry)
  await load(db, place, { entry, manifest, replacement, onProgress })
  const rows = await compareWithTable(db, place, { table: replacement, entry, parts: manifest.parts }, (count) =>
    onProgress(`${name}: compared ${count} of ${manifest.rows} rows`),
  )
  if (rows !== manifest.rows)
    throw new ArchiveMismatchError(`${name} has ${rows} rows, the manifest says ${manifest.rows}`)
  await requireKept(db, name, replacement)
  await swap(db, entry, replacement, async (trx) => {
    const first = sql`first = ${entry.first}::bigint`
    if (entry.parent === 'trades') {
      await sql`delete from archived_tokens where ${first}`.execute(trx)
      await sql`delete from archived_pairs where ${first}`.execute(trx)
    }
    const change = await (entry.isThinned
      ? sql`update archives set state = 'live', location = null, parts = '[]', manifest_sha256 = null, row_count = null,
          changed_at = now() where partition = ${name} and state = 'archived'`
      : sql`delete from archives where partition = ${name} and state = 'archived'`
    ).execute(trx)
    if (change.numAffectedRows !== 1n) throw new Error(`${name} is not archived any more`)
  })
  onProgress(`${name}: restored ${rows} rows`)
  return rows
}

/** The manifest as it was written, of this chain and table. */
async function readManifest(db: Db, place: ArchivePlace, entry: Entry): Promise<Manifest> {
  const bytes = await place.read(manifestOf(entry))
  if (sha256(bytes) !== entry.manifestSha256)
    throw new ArchiveMismatchError(
      `${manifestOf(entry)} at ${place.location} is not the file that was written: its checksum differs`,
    )
  const manifest = JSON.parse(bytes.toString()) as Manifest
  const expected = await readColumns(db, entry.parent)
  const describe = (columns: readonly Pick<ColumnType, 'name' | 'type'>[]) =>
    columns.map(({ name, type }) => `${name} ${type}`).join(', ')
  if (describe(manifest.columns) !== describe(expected))
    throw new ArchiveMismatchError(`${entry.name} was archived with other columns: ${describe(manifest.columns)}`)
  return manifest
}

interface Loading {
  entry: Entry
  manifest: Manifest
  replacement: string
  onProgress: (line: string) => void
}

async function load(db: Db, place: ArchivePlace, { entry, manifest, replacement, onProgress }: Loading): Promise<void> {
  const extra = Object.keys(TABLES[entry.parent].addresses)
  const columns = manifest.columns.filter(({ name }) => !extra.includes(name))
  const target = {
    table: replacement as keyof Database,
    columns: columns.map(({ name, type }) => ({
      name,
      type: toValueType(type),
      value: (row: ArchivedRow) => row[name] ?? null,
    })),
  } satisfies BulkTarget<ArchivedRow>
  let count = 0
  for (const part of manifest.parts) {
    const bytes = await fetchPart(place, part)
    await db.transaction().execute(async (trx) => {
      for await (const rows of readPart(bytes)) await appendRows(trx, target, rows)
    })
    count += part.rows
    onProgress(`${entry.name}: loaded ${count} of ${manifest.rows} rows`)
  }
}

const VALUE_TYPES: Readonly<Record<string, ValueType>> = {
  'double precision': 'float8',
  bytea: 'hex',
  '"char"': 'char',
}

const toValueType = (type: string): ValueType => VALUE_TYPES[type] ?? (type as ValueType)

/** The candles that stayed are among those of the archive. */
async function requireKept(db: Db, name: string, replacement: string): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select * from ${sql.table(name)} except select * from ${sql.table(replacement)}) kept`.execute(
    db,
  )
  if (rows[0]?.count !== 0)
    throw new ArchiveMismatchError(`${name} has ${rows[0]?.count} rows that differ from those of the archive`)
}
