import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

export interface SpreadTable {
  name: string
  spread: 'by token' | 'by wallet' | 'reference' | 'local'
  /** The first column of its primary key. */
  column: string
  /** Its integer column with numbers of its own, if it has one. */
  identity: string | null
  /** Whether Citus knows it. */
  isSpread: boolean
}

/** Every table whose comment says how it is spread, those that foreign keys refer to first. Needs the extension. */
export async function listTables(db: Kysely<Database>): Promise<SpreadTable[]> {
  const { rows } = await sql<SpreadTable>`
    select c.relname as name, substring(obj_description(c.oid) from ' Spread: ([a-z ]+)\\.$') as spread,
      (select a.attname from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and i.indisprimary) as column,
      (select attname from pg_attribute where attrelid = c.oid and attidentity <> '' and atttypid = 'integer'::regtype) as identity,
      exists (select from pg_dist_partition where logicalrelid = c.oid) as "isSpread"
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and obj_description(c.oid) like '% Spread: %'
    order by exists (select from pg_constraint where conrelid = c.oid and contype = 'f' and confrelid <> conrelid), c.relname`.execute(
    db,
  )
  return rows
}
