import { sql, type Transaction } from 'kysely'
import type { Database } from './schema.ts'

/** Key of the advisory lock that every writer of chain-derived rows takes. */
const APPLY_LOCK = 7_308_339_910

/** Waits until the previous writer of chain-derived rows has committed, and those who share the lock. */
export async function lockForApply(trx: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${APPLY_LOCK}::bigint)`.execute(trx)
}

/** Keeps writers of chain-derived rows waiting, and waits for the previous one, but not for others who share the lock. */
export async function shareApplyLock(trx: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${APPLY_LOCK}::bigint)`.execute(trx)
}
