import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

const known = new WeakSet<Kysely<Database>>()

/**
 * Whether the tables are spread over servers by Citus. For the few statements that have another form there. Once they are, they stay
 * so; until then it is asked each time, because a running service may be distributed.
 */
export async function isDistributed(db: Kysely<Database>): Promise<boolean> {
  if (known.has(db)) return true
  const { rows } = await sql`select from pg_class where relname = 'pg_dist_partition'`.execute(db)
  if (rows.length > 0) known.add(db)
  return rows.length > 0
}
