import { sql } from 'kysely'
import { isWorkerLoss } from './citus/is-worker-loss.ts'

/** First key of the advisory locks by which indexers report that they cannot write; the second is the SQLSTATE in base 36. */
export const WRITE_FAILURES = 730_833_992

/** SQLSTATE codes or classes that a retry may mend, or that /health reports as another check. */
const PASSING = /^(08|25P|40|55P03|57)/

/** The second key for an error of the database; null for any other error. */
export function toWriteFailure(error: unknown): number | null {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown }
  if (typeof code !== 'string' || severity === undefined || PASSING.test(code) || isWorkerLoss(error)) return null
  return Number.parseInt(code, 36)
}

/** The second key that an indexer has reported; null if none did. */
export const writeFailure = sql<number | null>`(
  select objid::int8 from pg_locks where locktype = 'advisory' and objsubid = 2 and granted
    and classid = ${sql.lit(WRITE_FAILURES)}
    and database = (select oid from pg_database where datname = current_database()) limit 1
)`.as('write_failure')

/** Why the database accepts no writes, for operators; also public, in /health. */
export function describeWriteFailure(failure: number): string {
  const sqlstate = failure.toString(36).toUpperCase().padStart(5, '0')
  if (sqlstate === '53100') return 'the database has no space left'
  if (sqlstate === '25006') return 'the database accepts no writes'
  return `the database reports ${sqlstate}`
}
