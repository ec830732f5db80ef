import { type Kysely, sql } from 'kysely'

/*
 * Earlier versions could drop logs of pools in a backfill: a Sync without a transfer of the token, in a range that was decoded
 * before the graduation was committed. While recovery is not null, the active indexer compares the logs of pools with the chain:
 * see indexer/engine/recover-logs.ts. A database that this version fills has nothing to recover.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chain_state add column recovery jsonb`.execute(db)
  await sql`update chain_state set recovery = '{}'`.execute(db)
}
