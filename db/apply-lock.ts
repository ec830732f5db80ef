import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from './schema.ts'

/** Key of the advisory lock that every writer of chain-derived rows takes. */
const APPLY_LOCK = 7_308_339_910

/** Waits until the previous writer of chain-derived rows has committed, and those who share the lock. */
export async function lockForApply(trx: Transaction<Database>): Promise<void> {
  const { rows } = await sql<{ distributed: boolean }>`
    select pg_advisory_xact_lock(${APPLY_LOCK}::bigint), exists (select from pg_class where relname = 'pg_dist_partition') as distributed`.execute(
    trx,
  )
  // Citus commits on the coordinator first. After a crash in between, reads would return what the rows of workers were before.
  if (rows[0]?.distributed) await sql`select recover_prepared_transactions()`.execute(trx)
}

/** Whether a transaction waits for the lock. */
export async function isApplyAwaited(db: Kysely<Database>): Promise<boolean> {
  // pg_locks has the two halves of a key of 64 bits.
  const { rows } = await sql<{ awaited: boolean }>`
    select exists (
      select from pg_locks where locktype = 'advisory' and not granted and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) + objid::bigint = ${APPLY_LOCK}::bigint
    ) as awaited`.execute(db)
  return rows[0]?.awaited ?? false
}

/** Keeps writers of chain-derived rows waiting, and waits for the previous one, but not for others who share the lock. */
export async function shareApplyLock(trx: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${APPLY_LOCK}::bigint)`.execute(trx)
}
