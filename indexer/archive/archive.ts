import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import { guard } from '../../db/guards.ts'
import { ARCHIVED_CANDLES } from '../../db/queries/archives.ts'
import { carryTrades } from './carry.ts'
import { findBounds, findReason } from './eligible.ts'
import { type Entry, listEntries, type Part, saveEntry } from './entries.ts'
import { keepCandles } from './keep-candles.ts'
import { ArchiveMismatchError, compareWithTable, type Manifest, manifestOf, sha256, writePart } from './objects.ts'
import type { ArchivePlace } from './open-place.ts'
import { createReplacement, swap } from './swap.ts'
import { PARTITIONED_BY, readColumns, TABLES } from './tables.ts'

export interface ArchiveOptions {
  db: Db
  place: ArchivePlace
  /** Unix seconds. */
  before: number
  /** Whether blocks that are not proven yet will be: they wait. */
  proofs: boolean
  onProgress: (line: string) => void
}

export interface Archived {
  partitions: number
  rows: number
  bytes: number
}

/** The partitions that are older than a time, oldest first; and why the next one of each table is not archived. */
export async function planArchive(
  db: Db,
  { before, proofs }: Pick<ArchiveOptions, 'before' | 'proofs'>,
): Promise<{ entries: Entry[]; kept: string[] }> {
  const bounds = await findBounds(db, { before, proofs })
  const entries: Entry[] = []
  const kept: string[] = []
  const ended = new Set<string>()
  for (const entry of await listEntries(db)) {
    if (ended.has(entry.parent) || entry.state === 'archived') continue
    const reason = await findReason(db, entry, bounds)
    if (reason === undefined) entries.push(entry)
    else {
      // Lots are carried from one partition to the next, so none is left out.
      ended.add(entry.parent)
      kept.push(`${entry.name} stays: ${reason}`)
    }
  }
  return { entries, kept }
}

/**
 * Writes old partitions to Parquet and takes them out of their tables. A run that was killed is continued by the next one:
 *
 * 1. guard: no row of the partition changes any more;
 * 2. write: a file for every 100,000 rows, each recorded when it is stored;
 * 3. carry: the sums of trades that figures need, token by token;
 * 4. verify: every file is read back and compared with the table, row by row;
 * 5. swap: one transaction drops the partition, and puts an empty one, or the candles that stay, in its place.
 */
export async function archive(options: ArchiveOptions): Promise<Archived> {
  const { db, onProgress } = options
  const { entries, kept } = await planArchive(db, options)
  const done = { partitions: 0, rows: 0, bytes: 0 }
  for (const entry of entries) {
    const { rows, bytes } = await archivePartition(options, entry).catch(async (error: unknown) => {
      if (error instanceof ArchiveMismatchError) await startOver(db, entry)
      throw error
    })
    done.partitions += 1
    done.rows += rows
    done.bytes += bytes
  }
  for (const line of kept) onProgress(line)
  return done
}

/** The next run writes every file again, because one of them is not what it should be. */
async function startOver(db: Db, entry: Entry): Promise<void> {
  await saveEntry(db, entry, { parts: '[]', manifest_sha256: null, row_count: null })
  for (const table of ['archived_tokens', 'archived_pairs'])
    if (entry.parent === 'trades')
      await sql`delete from ${sql.table(table)} where first = ${entry.first}::bigint`.execute(db)
}

async function archivePartition(
  { db, place, onProgress }: ArchiveOptions,
  entry: Entry,
): Promise<{ rows: number; bytes: number }> {
  if (entry.location !== null && entry.location !== place.location)
    throw new Error(`${entry.name} is being archived to ${entry.location}; continue there`)
  await guard(db, entry.name)
  await saveEntry(db, entry, { state: 'writing', location: place.location })
  await writeParts(db, place, entry, onProgress)
  const { parts } = entry
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  if (entry.parent === 'trades')
    await carryTrades(db, entry, (count) => onProgress(`${entry.name}: summed up ${count} of ${rows} trades`))
  await writeManifest(db, place, entry, rows)
  const compared = await compareWithTable(db, place, { table: entry.name, entry, parts }, (count) =>
    onProgress(`${entry.name}: read back ${count} of ${rows} rows`),
  )
  const manifest = await place.read(manifestOf(entry))
  if (compared !== rows || sha256(manifest) !== entry.manifestSha256)
    throw new ArchiveMismatchError(`${manifestOf(entry)} at ${place.location} is not the file that was written`)
  await takeOut(db, entry, rows)
  onProgress(`${entry.name}: archived ${rows} rows in ${bytes} bytes`)
  return { rows, bytes }
}

async function writeParts(
  db: Db,
  place: ArchivePlace,
  entry: Entry,
  onProgress: (line: string) => void,
): Promise<void> {
  // The files are complete once there is a manifest.
  if (entry.manifestSha256 !== null) return
  const columns = await readColumns(db, entry.parent)
  let rows = entry.parts.reduce((sum, part) => sum + part.rows, 0)
  for (;;) {
    const part = await writePart(db, place, entry, columns)
    if (!part) return
    entry.parts.push(part)
    await saveEntry(db, entry, { parts: JSON.stringify(entry.parts) })
    rows += part.rows
    onProgress(`${entry.name}: wrote ${rows} rows`)
  }
}

async function writeManifest(db: Db, place: ArchivePlace, entry: Entry, rows: number): Promise<void> {
  if (entry.manifestSha256 !== null) return
  const state = await db.selectFrom('chain_state').select(['chain_id', 'genesis_hash']).executeTakeFirstOrThrow()
  const { parent, name, first, stop } = entry
  const manifest: Manifest = {
    format: 'slipway-archive-1',
    chainId: state.chain_id,
    genesisHash: state.genesis_hash,
    table: parent,
    partition: name,
    ...{ first, stop },
    key: Object.keys(TABLES[parent].key),
    columns: (await readColumns(db, parent)).map(({ name: column, type }) => ({ name: column, type })),
    rows,
    parts: entry.parts.map(({ last: _, ...part }: Part) => part),
  }
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  await place.write(manifestOf(entry), bytes, 'application/json')
  entry.manifestSha256 = sha256(bytes)
  await saveEntry(db, entry, { manifest_sha256: entry.manifestSha256, row_count: rows })
}

/** Drops the partition. An empty one takes its place; that of candles has the daily ones. */
async function takeOut(db: Db, entry: Entry, rows: number): Promise<void> {
  const replacement = await createReplacement(db, entry)
  if (entry.parent === 'candles') await keepCandles(db, entry, replacement, ARCHIVED_CANDLES)
  await guard(db, replacement, { isEmpty: entry.parent === 'trades' })
  const { rows: times } = await sql<{ first_time: number | null; last_time: number | null }>`
    select min(${sql.ref(entry.parent === 'trades' ? 'block_time' : PARTITIONED_BY.candles)}) as first_time,
      max(${sql.ref(entry.parent === 'trades' ? 'block_time' : PARTITIONED_BY.candles)}) as last_time
    from ${sql.table(entry.name)}`.execute(db)
  await swap(db, entry, replacement, async (trx) => {
    // A rebuild meanwhile has deleted the row of the archive.
    const left = await sql<{ count: number }>`select count(*) as count from ${sql.table(entry.name)}`.execute(trx)
    const changed = await sql`update archives set state = 'archived', first_time = ${times[0]?.first_time ?? null},
      last_time = ${times[0]?.last_time ?? null}, changed_at = now()
      where partition = ${entry.name} and state = 'writing'`.execute(trx)
    if (left.rows[0]?.count !== rows || changed.numAffectedRows !== 1n)
      throw new ArchiveMismatchError(`${entry.name} has changed while it was archived; run this again`)
  })
}
