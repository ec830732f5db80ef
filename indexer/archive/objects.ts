import { createHash } from 'node:crypto'
import type { Db } from '../../db/client.ts'
import type { Entry, Part } from './entries.ts'
import type { ArchivePlace } from './open-place.ts'
import { PartWriter, readPart } from './parquet.ts'
import { type ArchivedRow, type ColumnType, keyOf, readPage, TABLES } from './tables.ts'

/** Rows of a group in a file, and of a read. */
const GROUP_ROWS = 10_000
/** 20 MB of trades, which are in memory while the file is written. */
const GROUPS_OF_A_PART = 10

/** What an archive consists of, for a restore and for readers elsewhere. */
export interface Manifest {
  format: 'slipway-archive-1'
  chainId: number
  genesisHash: string
  table: string
  partition: string
  /** Heights of trades, unix seconds of candles: [first, stop). */
  first: number
  stop: number
  key: string[]
  columns: { name: string; type: string }[]
  rows: number
  parts: Omit<Part, 'last'>[]
}

/** An archive does not agree with what was written. */
export class ArchiveMismatchError extends Error {
  override name = 'ArchiveMismatchError'
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const manifestOf = ({ name }: Pick<Entry, 'name'>): string => `${name}/manifest.json`

/** Writes the next file of a partition; undefined after the last row. */
export async function writePart(
  db: Db,
  place: ArchivePlace,
  entry: Entry,
  columns: readonly ColumnType[],
): Promise<Part | undefined> {
  const writer = new PartWriter(columns)
  let last = entry.parts.at(-1)?.last ?? null
  let rows = 0
  for (let group = 0; group < GROUPS_OF_A_PART; group++) {
    const page = await readPage(db, entry, { after: last, limit: GROUP_ROWS })
    const end = page.at(-1)
    if (!end) break
    writer.add(page)
    last = keyOf(entry.parent, end)
    rows += page.length
    if (page.length < GROUP_ROWS) break
  }
  if (rows === 0 || last === null) return undefined
  const bytes = writer.finish()
  const name = `${entry.name}/part-${String(entry.parts.length).padStart(5, '0')}.parquet`
  await place.write(name, bytes, 'application/vnd.apache.parquet')
  return { name, rows, bytes: bytes.length, sha256: sha256(bytes), last }
}

/** The file as it was written. Throws ArchiveMismatchError. */
export async function fetchPart(place: ArchivePlace, part: Omit<Part, 'last'>): Promise<Buffer> {
  const bytes = await place.read(part.name)
  if (bytes.length !== part.bytes || sha256(bytes) !== part.sha256)
    throw new ArchiveMismatchError(
      `${part.name} at ${place.location} is not the file that was written: its checksum differs`,
    )
  return bytes
}

/**
 * Reads all files back, and compares each row with that of a table, in the order of the key. Throws ArchiveMismatchError.
 * Returns the number of rows.
 */
export async function compareWithTable(
  db: Db,
  place: ArchivePlace,
  { table, entry, parts }: { table: string; entry: Entry; parts: readonly Omit<Part, 'last'>[] },
  onProgress: (rows: number) => void = () => {},
): Promise<number> {
  const { parent } = entry
  let after: number[] | null = null
  let count = 0
  for (const part of parts) {
    let rowsOfPart = 0
    for await (const rows of readPart(await fetchPart(place, part))) {
      const stored: ArchivedRow[] = await readPage(db, { parent, name: table }, { after, limit: rows.length })
      for (const [at, row] of rows.entries()) requireSame(part.name, parent, row, stored[at])
      after = keyOf(parent, rows.at(-1)!)
      rowsOfPart += rows.length
    }
    if (rowsOfPart !== part.rows)
      throw new ArchiveMismatchError(`${part.name} has ${rowsOfPart} rows, the manifest says ${part.rows}`)
    count += rowsOfPart
    onProgress(count)
  }
  const more = await readPage(db, { parent, name: table }, { after, limit: 1 })
  if (more.length > 0) throw new ArchiveMismatchError(`${table} has rows that the archive lacks, after ${after}`)
  return count
}

function requireSame(part: string, parent: Entry['parent'], row: ArchivedRow, stored: ArchivedRow | undefined): void {
  const subject = () => `${part}, row ${Object.keys(TABLES[parent].key).map((name) => row[name])}`
  if (!stored) throw new ArchiveMismatchError(`${subject()}: the table has no such row`)
  for (const [name, value] of Object.entries(stored)) {
    if (row[name] !== value)
      throw new ArchiveMismatchError(`${subject()}: ${name} is ${row[name]} in the file, ${value} in the table`)
  }
}
