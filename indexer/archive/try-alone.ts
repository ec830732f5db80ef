import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'

/** Key of the advisory lock of whatever replaces partitions. */
const LOCK = 7_308_339_911

/**
 * Does the work on one connection while no other process replaces partitions; undefined if one does. The lock ends with the
 * connection, so that of a killed process does.
 */
export const tryAlone = <T>(db: Db, work: (alone: Db) => Promise<T>): Promise<T | undefined> =>
  db.connection().execute(async (alone) => {
    const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${LOCK}::bigint) as locked`.execute(
      alone,
    )
    if (!rows[0]?.locked) return undefined
    try {
      return await work(alone)
    } finally {
      await sql`select pg_advisory_unlock(${LOCK}::bigint)`.execute(alone)
    }
  })
