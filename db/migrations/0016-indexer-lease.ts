import { type Kysely, sql } from 'kysely'

/*
 * Which indexer is active, by the clock of the database.
 *
 * token rises with every new holder, and every transaction of an indexer locks the row with its own token for key share. token
 * is unique: so a change of it waits for those transactions, whereas a heartbeat, which leaves it alone, does not.
 */
const statements = [
  sql`create table indexer_lease (
    id boolean primary key default true check (id),
    token bigint not null unique default 0,
    holder text collate "C",
    backend_pid integer,
    heartbeat_at timestamptz,
    expires_at timestamptz not null default '-infinity'
  )`,
  sql`insert into indexer_lease default values`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
