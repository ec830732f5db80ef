import { type Kysely, sql } from 'kysely'

/** The contractURI that was read after an update, which is an action at that position. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table token_metadata add column contract_uri text, add column contract_uri_block bigint,
    add column contract_uri_log integer`.execute(db)
}
