import { type Kysely, sql } from 'kysely'

/*
 * Who gets the creator fees of a token from an event on. A token without rows gives them to its creator.
 */
const statements = [
  sql`create table fee_shares (
    token text collate "C" not null,
    block_number bigint not null,
    log_index integer not null,
    position smallint not null,
    owner text collate "C" not null,
    recipient text collate "C" not null,
    bps integer not null,
    primary key (token, block_number, log_index, position)
  )`,
  sql`create index fee_shares_block on fee_shares (block_number)`,
  sql`create index fee_shares_owner on fee_shares (owner)`,
  sql`create index fee_shares_recipient on fee_shares (recipient)`,
  sql`comment on table fee_shares is
    'Share of a recipient in the creator fees of a token, from a split or transfer of the right on. Appended.'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
