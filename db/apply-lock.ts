import { sql, type Transaction } from 'kysely'
import type { Database } from './schema.ts'

/** Key of the advisory lock that every writer of chain-derived rows takes. */
const APPLY_LOCK = 7_308_339_910

/** Waits until the previous writer of chain-derived rows has committed. */
export async function lockForApply(trx: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${APPLY_LOCK}::bigint)`.execute(trx)
}
