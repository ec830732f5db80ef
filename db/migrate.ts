import { readdir } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, type Migration, type MigrationResultSet, Migrator, sql, type Transaction } from 'kysely'
import { lockForApply } from './apply-lock.ts'
import { adoptBaselines, describeOutdated, readApplied, toCurrentNames } from './baselines.ts'
import { finishBulkLoad } from './bulk-load.ts'
import { isBusy } from './guards.ts'
import type { Database } from './schema.ts'

const folder = new URL('./migrations/', import.meta.url)

/**
 * A migration may have a second part that runs after it, in transactions of its own: a conversion of many rows, which a
 * killed process leaves to the next start. It does nothing once all rows are converted.
 */
export interface LongMigration extends Migration {
  convert?(db: Kysely<Database>, options: { onProgress: (line: string) => void }): Promise<void>
  /** Whether its second part is done. Reads only. */
  isConverted?(db: Kysely<Database>): Promise<boolean>
}

/** Loads every file of migrations/ in the order of the names. Forward only; a released file is never edited. */
export async function loadMigrations(): Promise<Record<string, LongMigration>> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}-[a-z-]+\.ts$/.test(file)).sort()
  const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href) as Promise<LongMigration>))
  return Object.fromEntries(files.map((file, index) => [file.slice(0, -'.ts'.length), modules[index] as LongMigration]))
}

/** Brings the schema up to date. Runs under Kysely's advisory lock, so any number of processes may start at once. */
export async function migrateToLatest(
  db: Kysely<Database>,
  getMigrations: typeof loadMigrations = loadMigrations,
  onProgress: (line: string) => void = () => {},
): Promise<readonly string[]> {
  const { unknown, pending, newest, replaced } = await compareSchema(db, getMigrations)
  if (replaced === 'some') throw outdatedError(newest)
  if (replaced === 'all') {
    await adoptBaselines(db)
    onProgress('The schema of the database is current; its migrations are recorded by the names of this version')
  }
  if (unknown.length > 0) {
    // Kysely rejects unknown migrations. Those of the next version leave a schema that this one supports.
    if (pending.length === 0) {
      onProgress(`The schema of the database (${unknown.at(-1)}) is newer than this version; it is used as it is`)
      return []
    }
    throw new Error(
      `The schema of the database has migrations of another version (${unknown.join(', ')}) and lacks some of this one ` +
        `(${pending.join(', ')}). Use the version of the service that migrated it, or another database.`,
    )
  }
  let attempt = 1
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => giveWay(await getMigrations(), () => attempt < ATTEMPTS) },
  })
  const known = await migrator.getMigrations()
  // A migration may change a table whose indexes a backfill has dropped.
  if (known.some(({ executedAt }) => executedAt) && known.some(({ executedAt }) => !executedAt))
    await finishBulkLoad(db)
  const done: string[] = []
  const run = async (work: () => Promise<MigrationResultSet>) => {
    for (attempt = 1; ; attempt++) {
      const { error, results } = await work()
      if (!error) return done.push(...(results ?? []).map((result) => result.migrationName))
      if (!isBusy(error) || attempt === ATTEMPTS) throw error
      await pause(PAUSE_MS)
    }
  }
  // A later migration finds all rows converted.
  const isPending = new Set(known.filter(({ executedAt }) => !executedAt).map(({ name }) => name))
  for (const [name, { convert }] of Object.entries(await getMigrations())) {
    if (!convert) continue
    if (isPending.has(name)) await run(() => migrator.migrateTo(name))
    await convert(db, { onProgress })
  }
  await run(() => migrator.migrateToLatest())
  return done
}

/** Less than deadlock_timeout of PostgreSQL, so that a migration gives way before a reader is chosen to fail. */
const LOCK_MS = 500
const ATTEMPTS = 60
const PAUSE_MS = 1_000

/**
 * Processes of the version before go on during an upgrade. Their batches lock tables in an order of their own, so migrations wait for
 * the one that is under way. Other transactions wait behind a lock that a migration waits for: it waits briefly, and all pending
 * migrations, which are one transaction, start again.
 */
function giveWay(migrations: Record<string, LongMigration>, mayTryAgain: () => boolean): Record<string, Migration> {
  const wrap = ({ up }: LongMigration): Migration => ({
    async up(db) {
      await lockForApply(db as Transaction<Database>)
      if (mayTryAgain()) await sql`set local lock_timeout = ${sql.lit(LOCK_MS)}`.execute(db)
      await up(db)
    },
  })
  return Object.fromEntries(Object.entries(migrations).map(([name, migration]) => [name, wrap(migration)]))
}

/**
 * The migrations of a database that this version does not know, and its own that are missing there, by name; and how many of
 * those that the baselines replace it has. Reads only.
 */
export async function compareSchema(db: Kysely<Database>, getMigrations: typeof loadMigrations = loadMigrations) {
  const found = await readApplied(db)
  const applied = toCurrentNames(found)
  const known = Object.keys(await getMigrations())
  return {
    unknown: applied.filter((name) => !known.includes(name)),
    pending: known.filter((name) => !applied.includes(name)),
    newest: applied.at(-1) ?? 'none',
    replaced: found.replaced,
  }
}

/** Rejects if the schema is older or newer than this version. @throws Error with instructions */
export async function requireCurrentSchema(
  db: Kysely<Database>,
  getMigrations: typeof loadMigrations = loadMigrations,
): Promise<void> {
  const { unknown, pending, newest, replaced } = await compareSchema(db, getMigrations)
  if (replaced === 'some') throw outdatedError(newest)
  if (unknown.length > 0) {
    throw new Error(
      `The schema of the database (${newest}) is newer than this version. Use the version of the service.`,
    )
  }
  // Before the next check: later migrations wait for the conversion.
  for (const { isConverted } of Object.values(await getMigrations())) {
    if (!isConverted || (await isConverted(db))) continue
    throw new Error(
      'The rows of the database are being converted to a new schema. Start the service, which goes on with it.',
    )
  }
  if (pending.length > 0) {
    throw new Error(
      `The schema of the database (${newest}) is older than this version. Start the service, which brings it up to date, or use ` +
        'the version of the service.',
    )
  }
}

function outdatedError(newest: string): Error {
  const { problem, remedy } = describeOutdated(newest)
  return new Error(`T${problem.slice(1)}. ${remedy}.`)
}
