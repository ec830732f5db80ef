import { type Kysely, sql } from 'kysely'

/*
 * A range that ends before it starts is an error, and a raise may say so of itself: then it is never running, as nothing is in
 * an empty range. That times fit is the indexer's care (see chain/bounds.ts).
 */
const statements = [
  sql`drop index raises_running`,
  sql`create index raises_running on raises using gist (int8range(start_at, greatest(start_at, end_at)))
    where created_block is not null and cancelled_at is null and finalized_at is null and total_committed < goal_max`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
