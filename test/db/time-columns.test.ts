import { type Kysely, sql } from 'kysely'
import t from 'tap'
import type { Database } from '../../db/schema.ts'
import { createTestDatabase } from '../support/database.ts'

/**
 * Columns of time that a list may be ordered by, with a tiebreaker, in another precision than milliseconds. A cursor has
 * milliseconds, as JavaScript has: compared with microseconds, which PostgreSQL stores but PGlite never makes, it skips rows.
 */
async function findImprecise(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ column: string }>`
    select distinct c.relname || '.' || a.attname as column
    from pg_index i
    join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
    cross join lateral unnest(i.indkey::smallint[]) as k (attnum)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
    where i.indnkeyatts > 1 and a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype) and a.atttypmod <> 3
    order by 1`.execute(db)
  return rows.map(({ column }) => column)
}

t.test('every time column that lists are ordered by has millisecond precision', async (t) => {
  const { db } = await createTestDatabase(t)
  t.same(
    await findImprecise(db),
    [],
    'declare it timestamptz(3): cursors have milliseconds, and rows between would be skipped',
  )
  await sql`create table precise (id bigint primary key, created_at timestamptz(3) not null)`.execute(db)
  await sql`create index on precise (created_at desc, id desc)`.execute(db)
  t.same(await findImprecise(db), [])
  await sql`create table imprecise (id bigint primary key, created_at timestamptz not null)`.execute(db)
  await sql`create index on imprecise (created_at desc, id desc)`.execute(db)
  t.same(await findImprecise(db), ['imprecise.created_at'])
})
