import { loadConfig } from '../../config/config.ts'
import type { Db } from '../../db/client.ts'
import { openExisting } from '../../db/open-existing.ts'
import { archive, planArchive } from '../../indexer/archive/archive.ts'
import { listEntries } from '../../indexer/archive/entries.ts'
import { ArchiveMismatchError } from '../../indexer/archive/objects.ts'
import { openPlace } from '../../indexer/archive/open-place.ts'
import { findArchived, restore } from '../../indexer/archive/restore.ts'
import { tidyGuards } from '../../indexer/archive/tidy-guards.ts'
import { tryAlone } from '../../indexer/archive/try-alone.ts'
import { UsageError } from '../../lib/commands/options.ts'

const BUSY =
  'Another process replaces partitions: npm run archive, or the indexer with FINE_CANDLE_DAYS. Try again later.'

interface Values {
  before: string | undefined
  to: string | undefined
  restore: string | undefined
  from: string | undefined
  list: boolean
  'dry-run': boolean
}

type Config = ReturnType<typeof loadConfig>

/** Resolves to the exit code. */
export async function runArchive(values: Values): Promise<number> {
  requireOne(values)
  const before = values.before === undefined ? 0 : readDate(values.before)
  const config = loadConfig(process.env)
  // No statement timeout: statements scale with the size of a partition.
  const database = await openExisting({ ...config, database: { ...config.database, indexerStatementMs: 0 } })
  try {
    if (values.list) await listPartitions(database.indexer)
    else if (values['dry-run']) {
      // Rejects what archiving would reject.
      if (values.to !== undefined) await openPlace(values.to, config).close()
      await printPlan(database.indexer, { before, proofs: hasProofs(config) })
    } else {
      const done = await tryAlone(database.indexer, async (db) => {
        await (values.restore === undefined
          ? archiveOld(db, config, { before, to: values.to! })
          : bringBack(db, config, { name: values.restore, from: values.from }))
        return true
      })
      if (!done) throw new Error(BUSY)
    }
    return 0
  } catch (error) {
    if (!(error instanceof ArchiveMismatchError)) throw error
    console.error(error.message)
    return 1
  } finally {
    await database.close()
  }
}

function requireOne({ before, to, restore: name, from, list, 'dry-run': dryRun }: Values): void {
  const count = [before !== undefined, name !== undefined, list].filter(Boolean).length
  if (count !== 1) throw new UsageError('Give one of --before, --restore and --list')
  if (before !== undefined && to === undefined && !dryRun) throw new UsageError('--to is missing')
  if (before === undefined && (to !== undefined || dryRun)) throw new UsageError('--to and --dry-run go with --before')
  if (name === undefined && from !== undefined) throw new UsageError('--from goes with --restore')
}

const DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/

function readDate(given: string): number {
  const time = DATE.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(time)) throw new UsageError(`--before is ${given}; expected a date such as 2026-01-01`)
  return Math.floor(time / 1_000)
}

const hasProofs = ({ proofRequestsPerSecond }: Config) => proofRequestsPerSecond > 0

async function archiveOld(db: Db, config: Config, { before, to }: { before: number; to: string }): Promise<void> {
  const place = openPlace(to, config)
  const started = performance.now()
  try {
    await tidyGuards(db)
    const done = await archive({ db, place, before, proofs: hasProofs(config), onProgress: print })
    const seconds = ((performance.now() - started) / 1_000).toFixed(1)
    print(`Archived ${done.partitions} partitions, ${done.rows} rows in ${done.bytes} bytes, in ${seconds} s.`)
  } finally {
    await place.close()
  }
}

async function bringBack(
  db: Db,
  config: Config,
  { name, from }: { name: string; from: string | undefined },
): Promise<void> {
  const { location } = await findArchived(db, name)
  const place = openPlace(from ?? location!, config)
  try {
    await restore({ db, place, name, onProgress: print })
  } finally {
    await place.close()
  }
}

async function printPlan(db: Db, options: { before: number; proofs: boolean }): Promise<void> {
  const { entries, kept } = await planArchive(db, options)
  for (const { name } of entries) print(`${name} would be archived`)
  for (const line of kept) print(line)
}

async function listPartitions(db: Db): Promise<void> {
  for (const { name, state, location, rows, isThinned } of await listEntries(db)) {
    const thinned = isThinned ? ', without candles shorter than an hour' : ''
    print(state === 'archived' ? `${name}: ${rows} rows at ${location}${thinned}` : `${name}: ${state}${thinned}`)
  }
}

const print = (line: string) => console.log(line)
