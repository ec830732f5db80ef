import { type RawBuilder, sql, type Transaction } from 'kysely'
import t from 'tap'
import { lockForApply } from '../../../db/apply-lock.ts'
import type { Db } from '../../../db/client.ts'
import { type LongMigration, loadMigrations, migrateToLatest } from '../../../db/migrate.ts'
import type { Database } from '../../../db/schema.ts'
import { createTestDatabase, serverUrl } from '../../support/database.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

/* A migration while processes of the version before go on: it locks two tables, which they lock in the other order. */
const skip = serverUrl === null && 'an embedded database has one connection'

const migration: LongMigration = {
  async up(db) {
    await sql`alter table token_figures add column sample integer`.execute(db)
    await sql`alter table chain_state add column sample integer`.execute(db)
  },
}
const getMigrations = async () => ({ ...(await loadMigrations()), '9999-sample': migration })

/** Resolves when a transaction waits for a lock. */
const someoneWaits = (db: Db) =>
  waitUntil('the migration waits', async () => {
    const { rows } = await sql`select from pg_locks where not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db)
    return rows.length > 0
  })

async function migrateBeside(
  db: Db,
  work: (trx: Transaction<Database>) => Promise<unknown>,
  last: RawBuilder<unknown>,
) {
  let migrated: Promise<readonly string[]> | undefined
  await db.transaction().execute(async (trx) => {
    await work(trx)
    migrated = migrateToLatest(db, getMigrations)
    migrated.catch(() => {})
    await someoneWaits(db)
    await last.execute(trx)
  })
  return await migrated
}

t.test('a migration waits for the batch that is under way', { skip }, async (t) => {
  const { db } = await createTestDatabase(t)
  const begin = async (trx: Transaction<Database>) => {
    await lockForApply(trx)
    await sql`lock table chain_state in row exclusive mode`.execute(trx)
  }
  const rest = sql`lock table token_figures in row exclusive mode`
  t.strictSame(await migrateBeside(db, begin, rest), ['9999-sample'])
})

t.test('a migration gives way to a reader, and is repeated', { skip }, async (t) => {
  const { db } = await createTestDatabase(t)
  const begin = (trx: Transaction<Database>) => sql`select from chain_state`.execute(trx)
  t.strictSame(await migrateBeside(db, begin, sql`select from token_figures`), ['9999-sample'])
})
