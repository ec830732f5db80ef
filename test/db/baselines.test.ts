import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { adoptBaselines, MIGRATION_LOCK } from '../../db/baselines.ts'
import { type Db, openDatabase } from '../../db/client.ts'
import { loadMigrations, migrateToLatest, requireCurrentSchema } from '../../db/migrate.ts'
import { likeToken } from '../../db/queries/likes.ts'
import { createDatabasePlace, createTestDatabase, openTestDatabase, serverUrl } from '../support/database.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import { readRows, restoreOld } from './fixtures/before-baselines.ts'
import { describeSchema } from './fixtures/describe-schema.ts'

/* Databases that the migrations before the baselines made: see db/baselines.ts. */
const migrations = await loadMigrations()
const names = Object.keys(migrations)
const baselines = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0007'))
const TOO_OLD =
  /^The schema of the database \((\S+)\) is too old for this version\..* check out commit ([0-9a-f]{40}) of/

async function createOld(t: Test): Promise<Db> {
  const { db } = await createTestDatabase(t)
  await restoreOld(db)
  return db
}

async function readNames(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Later migrations keep the rows. Those of some tables have another form, with as many rows. */
async function expectKept(t: Test, db: Db, before: Record<string, string[]>): Promise<void> {
  const after = await readRows(db)
  const ofMarket = ['balances', 'wallet_figures', 'pool_states', 'fee_shares', 'tokens', 'token_figures']
  const ofUsers = ['token_metadata', 'token_likes', 'token_counts', 'comments', 'comment_likes', 'notifications']
  for (const name of [...ofMarket, ...ofUsers]) {
    t.equal(after[name]?.length, before[name]?.length, name)
    after[name] = before[name] ?? []
  }
  // Tables that came later have no rows.
  const added = Object.entries(after).filter(([name, rows]) => !(name in before) && rows.length === 0)
  for (const [name] of added) delete after[name]
  const { token_ids: numbers, pools, launchpad_figures: launchpads, ...others } = after
  t.equal(numbers?.length, before.tokens?.length)
  t.equal(pools?.length, 1)
  t.equal(launchpads?.length, 1, 'all tokens are of one kind of launchpad')
  // The kinds of the contracts came later: none is stored. So did SNIPER_SECONDS, and whether events are missing. The count of reorgs
  // before the time is gone.
  const chainState = before.chain_state?.map((row) => row.replace(/,0(?=,"\d{4}-)/, '').replace(/\)$/, ',{},5,f)'))
  // Columns for other quote assets came later: they are null.
  const widen = ([name, count]: [string, number]) =>
    [name, before[name]?.map((row) => row.replace(/\)$/, `${','.repeat(count)})`))] as const
  const widened = Object.fromEntries(Object.entries({ blocks: 1, candles: 5, trades: 3 }).map(widen))
  // Texts have got the transaction of their creation.
  const described = Object.entries({ raise_metadata: 'd5', raise_proposal_texts: 'd4' }).map(
    ([name, byte]) => [name, before[name]?.map((row) => row.replace(/\)$/, `,0x${byte.repeat(32)})`))] as const,
  )
  const expected = { ...before, ...widened, ...Object.fromEntries(described) }
  t.strictSame(others, { ...expected, ...(chainState && { chain_state: chainState }) })
}

t.test('a database with all replaced migrations records the baselines as applied, and keeps its rows', async (t) => {
  const db = await createOld(t)
  const before = await readRows(db)
  t.strictSame(
    Object.entries(before).filter(([, rows]) => rows.length === 0),
    [],
    'every table has rows',
  )
  await requireCurrentSchema(db, async () => baselines)

  const lines: string[] = []
  const done = await migrateToLatest(
    db,
    async () => baselines,
    (line) => lines.push(line),
  )
  t.strictSame(done, [], 'no migration runs')
  t.match(lines, [/^The schema of the database is current; its migrations are recorded by the names of this version$/])
  t.strictSame(await readNames(db), Object.keys(baselines))
  t.strictSame(await readRows(db), before)

  lines.length = 0
  await migrateToLatest(db, loadMigrations, (line) => lines.push(line))
  t.ok(
    lines.length > 0 && lines.every((line) => line.endsWith('are converted')),
    'the second start finds the baselines',
  )
  await expectKept(t, db, before)
  t.strictSame(await readNames(db), names)
  const fresh = await createTestDatabase(t)
  const expected = await describeSchema(fresh.db)
  t.ok(expected.length > 900, `${expected.length} parts`)
  t.strictSame(await describeSchema(db), expected, 'the schema is that of a new database')
})

t.test('counts and partitions work on the rows from before the baselines', async (t) => {
  const db = await createOld(t)
  await migrateToLatest(db)
  const token = `0x${'c1'.repeat(20)}`
  await db.transaction().execute((trx) => likeToken(trx, { token, wallet: `0x${'a3'.repeat(20)}` }))
  const { rows } =
    await sql`select likes, comments from token_counts where token_id = (select id from tokens where address = ${token})`.execute(
      db,
    )
  t.match(rows, [{ likes: 2, comments: 1 }])
  await sql`select make_partitions(array[5000000], null)`.execute(db)
  await sql`update trades set block_number = 5000000 where block_number = 1200`.execute(db)
  const trades = await sql`select block_number, launchpad, quote_token from readable_trades order by 1`.execute(db)
  const addresses = { launchpad: `0x${'aa'.repeat(20)}`, quote_token: `0x${'ee'.repeat(20)}` }
  t.match(trades.rows, [
    { block_number: 1_000, ...addresses },
    { block_number: 5_000_000, ...addresses },
  ])
})

const older: Record<string, string> = {
  'without the last migration': `delete from kysely_migration where name = '0072-contracts-by-module'`,
  'at the first migration': `delete from kysely_migration where name > '0002'`,
  'that still converts rows': 'create table conversions (table_name text)',
}
for (const [what, change] of Object.entries(older)) {
  t.test(`a database ${what} is rejected with the commit to run first, and not changed`, async (t) => {
    const db = await createOld(t)
    await sql.raw(change).execute(db)
    const read = async () => [await readNames(db), await describeSchema(db), await readRows(db)]
    const before = await read()
    const error = await migrateToLatest(db).then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    const [, newest, commit = 'none'] = TOO_OLD.exec(error?.message ?? '') ?? []
    t.equal(newest, (before[0] as string[]).at(-1))
    const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
    t.ok(page.includes(commit), 'docs/operations.md names the same commit')
    await t.rejects(requireCurrentSchema(db), { message: TOO_OLD })
    t.strictSame(await read(), before)
  })
}

t.test('a database with migrations of neither version is rejected', async (t) => {
  const db = await createOld(t)
  await sql`insert into kysely_migration values ('0073-other', '2026')`.execute(db)
  await t.rejects(migrateToLatest(db), { message: /has migrations of another version .*0073-other\) and lacks some/ })
})

t.test('a process that starts late keeps the migrations that others have run meanwhile', async (t) => {
  const db = await createOld(t)
  await migrateToLatest(db)
  await sql`insert into kysely_migration values ('9999-later', '9999')`.execute(db)
  await adoptBaselines(db)
  t.strictSame(await readNames(db), [...names, '9999-later'])
})

t.test(
  'of two processes that start at the same time, one records the baselines',
  { skip: serverUrl === null && 'one process opens a PGlite database' },
  async (t) => {
    const place = await createDatabasePlace(t)
    const { db } = await openTestDatabase(t, place)
    await restoreOld(db)
    const before = await readRows(db)
    const other = new pg.Client({ connectionString: place.databaseUrl as string })
    await other.connect()
    t.teardown(() => other.end())
    await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const starting = [openDatabase(place), openDatabase(place)]
    const countWaiting = async () =>
      (
        await other.query(`select from pg_locks where locktype = 'advisory' and not granted and database =
        (select oid from pg_database where datname = current_database())`)
      ).rowCount
    await waitUntil('both processes wait for the lock', async () => (await countWaiting()) === 2)
    t.ok((await readNames(db)).includes('0072-contracts-by-module'), 'nothing is recorded without the lock')
    await other.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])
    for (const { close } of await Promise.all(starting)) await close()
    t.strictSame(await readNames(db), names)
    await expectKept(t, db, before)
  },
)
