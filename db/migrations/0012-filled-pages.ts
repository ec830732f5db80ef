import { type Kysely, sql } from 'kysely'

/*
 * Pages are filled: nearly every change of these rows changes an indexed column, so the space that was left for changes within
 * a page was never used. It was a sixth of both tables.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table balances reset (fillfactor);
    alter table wallet_figures reset (fillfactor);
  `.execute(db)
}
