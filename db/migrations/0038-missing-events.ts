import { type Kysely, sql } from 'kysely'

/** Whether the batches since the last live event have had events that were too old to be sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chain_state add column lacks_events boolean not null default false`.execute(db)
}
