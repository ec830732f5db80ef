import { type Kysely, sql } from 'kysely'

/* What was done to a proposal. Actions have always named it in their data; the index is of those alone that do. */
const statements = [
  sql`create index actions_proposal on actions ((data->>'proposal'), block_number desc, log_index desc)
    where data->>'proposal' is not null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
