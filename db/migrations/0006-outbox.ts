import { type Kysely, sql } from 'kysely'

/*
 * Live events in commit order. See docs/live-events.md.
 *
 * An event has at most four channels, and each position in its list has a B-tree of its own: the events that a reader missed are
 * read in order from where it left off. A GIN index would collect all events of the channel before sorting them. A position that
 * few events use costs next to nothing.
 */
const statements = [
  sql`create table outbox (
    seq bigint generated always as identity primary key,
    rooms text[] collate "C" not null check (cardinality(rooms) between 1 and 4),
    type text not null,
    data text not null,
    created_at timestamptz(3) not null default clock_timestamp()
  )`,
  ...[1, 2, 3, 4].map(
    (place) => sql`create index ${sql.id(`outbox_room_${place}`)} on outbox ((rooms[${sql.lit(place)}]), seq)
      where rooms[${sql.lit(place)}] is not null`,
  ),

  // channel: names this database to processes that share a Redis with those of others. trimmed: events up to here are gone.
  sql`create table outbox_state (
    id boolean primary key default true check (id),
    channel text not null default gen_random_uuid()::text,
    trimmed bigint not null default 0
  )`,
  sql`insert into outbox_state default values`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
