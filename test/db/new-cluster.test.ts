import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { openDatabase, openPglite } from '../../db/client.ts'
import { makeMigratedCluster } from '../../db/embedded/make-migrated-cluster.ts'
import { createCluster, MARKER } from '../../db/embedded/new-cluster.ts'
import { loadMigrations } from '../../db/migrate.ts'
import { findOutboxState } from '../../db/queries/outbox.ts'

const NONE = '/no/cluster'
const migrated = await makeMigratedCluster()

for (const [kind, source] of Object.entries({ empty: NONE, migrated })) {
  t.test(`an interrupted creation of an ${kind} cluster is repeated when the database is opened`, async (t) => {
    const folder = join(t.testdir(), 'database')
    await mkdir(folder)
    const blocked = join(folder, 'pg_xact')
    await writeFile(blocked, 'a file where a folder must be')
    await t.rejects(createCluster(folder, source), /EEXIST|ENOTDIR/)
    t.notOk(existsSync(join(folder, MARKER)), 'the folder is not marked')
    await t.rejects(openPglite(folder), /ENOTDIR/)
    t.notOk(existsSync(`${folder}.lock`), 'nor is it locked')

    await rm(blocked)
    await createCluster(folder, source)
    const { db, close } = await openPglite(folder)
    const { rows } = await sql<{ sum: number }>`select 1 + 1 as sum`.execute(db)
    t.same(rows, [{ sum: 2 }])
    await close()
  })
}

/** Everything that a schema consists of, in words. */
const describeSchema = sql<{ line: string }>`
  select concat_ws(' ', 'column', attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), attnotnull,
    pg_get_expr(adbin, adrelid)) as line
  from pg_attribute a join pg_class c on c.oid = attrelid left join pg_attrdef d on adrelid = attrelid and adnum = attnum
  where relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
  union all select concat_ws(' ', 'index', indexdef) from pg_indexes where schemaname = 'public'
  union all select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
  where connamespace = 'public'::regnamespace
  union all select concat_ws(' ', 'function', pg_get_functiondef(oid)) from pg_proc
  where pronamespace = 'public'::regnamespace and prolang in (select oid from pg_language where lanname in ('sql', 'plpgsql'))
  union all select concat_ws(' ', 'migration', name) from kysely_migration order by line`

t.test('a copy of the migrated cluster has the schema of a migrated database, and a channel of its own', async (t) => {
  const folder = t.testdir()
  const channels: string[] = []
  const schemas: unknown[] = []
  for (const name of ['migrated', 'copy', 'other copy']) {
    const dataDir = join(folder, name)
    await mkdir(join(dataDir, 'database'), { recursive: true })
    await createCluster(join(dataDir, 'database'), name === 'migrated' ? NONE : migrated)
    const { db, close } = await openDatabase({ databaseUrl: null, dataDir })
    schemas.push((await describeSchema.execute(db)).rows)
    channels.push((await findOutboxState(db))?.channel ?? '')
    await close()
  }
  t.ok((schemas[0] as unknown[]).length > 500)
  t.same(schemas[1], schemas[0])
  t.equal(new Set(channels).size, 3)
  t.notOk(channels.includes(''))
})

t.test('the migrated cluster is kept, with all migrations and without their log', async (t) => {
  const folder = t.testdir()
  t.equal(await makeMigratedCluster(), migrated)
  await cp(migrated, join(folder, 'database'), { recursive: true })
  const { db, close } = await openPglite(join(folder, 'database'))
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  t.same(
    rows.map(({ name }) => name),
    Object.keys(await loadMigrations()),
  )
  await close()
  const log = readdirSync(join(migrated, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name))
  t.equal(log.length, 1, 'without the log of the migrations')
})
