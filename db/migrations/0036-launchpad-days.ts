import { type Kysely, sql } from 'kysely'

/*
 * Sums of the trades of each day. The next indexer that starts computes those of stored trades, and again those of launchpads whose
 * trades a process of the version before has stored meanwhile (see completeDays).
 */

// One statement at a time: on Citus, they are sent as prepared statements.
const statements = [
  sql`create table launchpad_days (
    -- Unix seconds of the start of the day.
    day bigint not null,
    launchpad text not null,
    trades bigint not null,
    volume numeric(78,0) not null,
    volume_usd numeric(38,8) not null,
    -- Null: the trades had been archived when the day was computed.
    protocol_fees numeric(78,0),
    creator_fees numeric(78,0),
    primary key (day, launchpad)
  )`,
  sql`comment on table launchpad_days is
    'Sums of the trades of a day (UTC) on a launchpad. Once per batch, launchpad and day. Spread: local.'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
