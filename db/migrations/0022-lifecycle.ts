import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The default is of rows that were written before, and of an earlier version that still runs.
    alter table tokens add column lifecycle text not null default 'curve';
    comment on column tokens.lifecycle is 'curve: launched on a curve. direct: launched in its pool.';
    comment on column tokens.venue is 'Type of the pool into which it graduates, or in which it was launched.';
  `.execute(db)
}
