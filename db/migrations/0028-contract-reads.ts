import { type Kysely, sql } from 'kysely'

/* What contracts answered about logs that leave it out, so that the stored logs stay enough to rebuild the derived tables. */

// One statement at a time: on Citus, they are sent as prepared statements.
const statements = [
  sql`
  create table contract_reads (
    block_number bigint not null,
    log_index integer not null,
    block_hash bytea not null,
    -- The part that never changes; null: no node has given a certain one.
    answer bytea,
    attempts integer not null default 1,
    attempted_at timestamptz not null default now(),
    primary key (block_number, log_index)
  )`,
  sql`create index contract_reads_open on contract_reads (block_number) where answer is null`,
  sql`
  comment on table contract_reads is
    'What a contract answered about a log, such as the quote asset of a launch. Per launch that needs it. Spread: local.'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
