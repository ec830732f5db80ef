import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from './schema.ts'

/*
 * A partition whose rows are being archived, or were, refuses new and changed rows. A constraint does it that no row fulfils, and
 * which existing rows are not checked against: PostgreSQL names it in the error of a writer, which so says what to do.
 */
const GUARD = 'archived_restore_it_first'

const LOCK_MS = 2_000
const ATTEMPTS = 60
const PAUSE_MS = 1_000
/** lock_not_available and deadlock_detected. */
const BUSY: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

/** Whether a statement failed because others hold the locks that it needs. */
export const isBusy = (error: unknown): boolean => BUSY.has((error as { code?: unknown } | undefined)?.code)

/**
 * Runs a transaction that locks a table against its readers. They would wait behind it, so it waits for the lock briefly, and
 * tries again.
 */
export async function transactWithLocks<T>(
  db: Kysely<Database>,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async (trx) => {
        await sql`set local lock_timeout = ${sql.lit(LOCK_MS)}`.execute(trx)
        return work(trx)
      })
    } catch (error) {
      if (!isBusy(error) || attempt === ATTEMPTS) throw error
      await pause(PAUSE_MS)
    }
  }
}

/** Refuses new and changed rows of a table from now on. Idempotent. */
export async function guard(db: Kysely<Database>, table: string, { isEmpty = false } = {}): Promise<void> {
  if ((await listGuarded(db)).includes(table)) return
  // The planner leaves out a table whose constraint is checked.
  const checked = isEmpty ? sql`` : sql`not valid`
  await transactWithLocks(db, (trx) =>
    sql`alter table ${sql.table(table)} add constraint ${sql.ref(GUARD)} check (false) ${checked}`.execute(trx),
  )
}

export async function unguard(db: Kysely<Database>, table: string): Promise<void> {
  await transactWithLocks(db, (trx) =>
    sql`alter table ${sql.table(table)} drop constraint if exists ${sql.ref(GUARD)}`.execute(trx),
  )
}

/** The tables with a guard. */
export async function listGuarded(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.conname = ${GUARD} and c.relnamespace = current_schema()::regnamespace`.execute(db)
  return rows.map(({ name }) => name)
}
