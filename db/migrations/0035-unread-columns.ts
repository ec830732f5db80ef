import { type Kysely, sql } from 'kysely'

/*
 * Columns that nothing reads. Processes of the version before still write blocks.parent_hash and chain_state.updated_at, so these stay,
 * without new values, until the next version. Nothing has ever written chain_state.reorgs.
 */

// One statement at a time: on Citus, they are sent as prepared statements.
const statements = [
  sql`alter table chain_state drop column reorgs`,
  sql`drop view readable_blocks`,
  sql`create view readable_blocks as
    select number, '0x' || encode(hash, 'hex') as hash, time, quote_usd, log_count, coalesce(length(logs), 0) as log_bytes
    from blocks`,
  sql`comment on view readable_blocks is 'Row of \`blocks\` with text instead of numbers and bytes. A view, for psql.'`,
  ...['blocks.parent_hash', 'chain_state.updated_at'].map(
    (column) =>
      sql`comment on column ${sql.ref(column)} is 'Unused. Only the version before migration 0035 writes it; to be dropped.'`,
  ),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
