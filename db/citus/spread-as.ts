import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** Spreads a new table as another one is, where Citus spreads that one: its rows are then on the same nodes. */
export async function spreadAs(db: Kysely<Database>, table: string, other: string): Promise<void> {
  const { rows: catalogs } = await sql`select from pg_class where relname = 'pg_dist_partition'`.execute(db)
  if (catalogs.length === 0) return
  const { rows } = await sql<{ column: string }>`
    select column_to_column_name(logicalrelid, partkey) as column from pg_dist_partition
    where logicalrelid = ${other}::regclass`.execute(db)
  if (rows[0])
    await sql`select create_distributed_table(${table}, ${rows[0].column}, colocate_with => ${other})`.execute(db)
}
