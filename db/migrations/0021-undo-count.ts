import { type Kysely, sql } from 'kysely'

/*
 * Counts the undos. A receipt sync reads from the node and the database before it takes the apply lock, and compares
 * the count under the lock: an undo in between may have removed an event that the transaction depends on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chain_state add column undo_count bigint not null default 0`.execute(db)
}
