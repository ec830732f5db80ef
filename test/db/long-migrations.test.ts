import { sql } from 'kysely'
import t from 'tap'
import type { Db } from '../../db/client.ts'
import { type LongMigration, loadMigrations, migrateToLatest, requireCurrentSchema } from '../../db/migrate.ts'
import { createTestDatabase } from '../support/database.ts'

/* A migration whose second part converts rows in transactions of its own. */
const ROWS = 100
const CHUNK = 10
/** Chunks after which the process is killed. */
const LIFE = 3

const countLeft = async (db: Db) => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from samples where new is null`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

const long: LongMigration = {
  async up(db) {
    await sql`alter table samples add column new text`.execute(db)
  },
  async convert(db, { onProgress }) {
    while ((await countLeft(db)) > 0) {
      await sql`update samples set new = 'of ' || old where old in (
        select old from samples where new is null order by old limit ${CHUNK})`.execute(db)
      onProgress(`${await countLeft(db)} rows left`)
    }
  },
  async isConverted(db) {
    const { rows } =
      await sql`select from pg_attribute where attrelid = 'samples'::regclass and attname = 'new'`.execute(db)
    return rows.length === 0 || (await countLeft(db)) === 0
  },
}
const later: LongMigration = {
  async up(db) {
    await sql`alter table samples alter column new set not null, drop column old`.execute(db)
  },
}

t.test('a killed conversion continues at the next start, before later migrations', async (t) => {
  const { db } = await createTestDatabase(t)
  await sql`create table samples (old integer primary key)`.execute(db)
  await sql`insert into samples select generate_series(1, ${ROWS})`.execute(db)
  const getMigrations = async () => ({ ...(await loadMigrations()), '9998-long': long, '9999-later': later })
  await t.rejects(requireCurrentSchema(db, getMigrations), { message: /is older than this version/ })

  const lines: string[] = []
  let starts = 0
  for (; starts < ROWS; starts++) {
    let steps = 0
    const onProgress = (line: string) => {
      lines.push(line)
      steps += 1
      if (steps === LIFE) throw new Error('The process is killed')
    }
    const done = await migrateToLatest(db, getMigrations, onProgress).catch((error: Error) => error)
    if (!(done instanceof Error)) break
    t.match(done, { message: 'The process is killed' })
    if ((await countLeft(db)) > 0)
      await t.rejects(requireCurrentSchema(db, getMigrations), { message: /are being converted to a new schema/ })
  }
  t.equal(starts, Math.floor(ROWS / CHUNK / LIFE))
  t.strictSame(
    lines,
    Array.from({ length: ROWS / CHUNK }, (_, at) => `${ROWS - (at + 1) * CHUNK} rows left`),
    'no row is converted twice',
  )
  await requireCurrentSchema(db, getMigrations)
  const { rows } = await sql<{ new: string }>`select new from samples`.execute(db)
  t.equal(rows.length, ROWS)
  t.strictSame(await migrateToLatest(db, getMigrations), [], 'nothing is left to do')
})
