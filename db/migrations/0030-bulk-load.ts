import { type Kysely, sql } from 'kysely'

/*
 * While a backfill fills large tables without their secondary indexes: when and at which height it began, and the
 * statements that create the dropped indexes again. Null otherwise. See db/bulk-load.ts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chain_state add column bulk_load jsonb`.execute(db)
}
