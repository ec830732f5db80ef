import type { Kysely, RawBuilder } from 'kysely'
import type { Database } from '../schema.ts'

/** Databases that Citus spreads over servers: it refuses a statement that reads one row after another from all of them. */
const distributed = new WeakSet<Kysely<Database>>()
const UNSUPPORTED = '0A000'

/** Runs a statement; in a database that Citus spreads, its `spread` form, which each server runs once for all rows. */
export async function executeSpread<Row>(
  db: Kysely<Database>,
  statement: RawBuilder<Row>,
  spread: () => RawBuilder<Row>,
): Promise<Row[]> {
  if (!distributed.has(db)) {
    try {
      return (await statement.execute(db)).rows
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNSUPPORTED) throw error
      distributed.add(db)
    }
  }
  return (await spread().execute(db)).rows
}
