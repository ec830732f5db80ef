import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { type Db, openDatabase, openPglite } from '../../db/client.ts'
import { makeMigratedCluster } from '../../db/embedded/make-migrated-cluster.ts'
import { createCluster, MARKER } from '../../db/embedded/new-cluster.ts'
import { loadMigrations } from '../../db/migrate.ts'
import { findOutboxState } from '../../db/queries/outbox.ts'
import { describeSchema } from './fixtures/describe-schema.ts'

const NONE = '/no/cluster'
const migrated = await makeMigratedCluster()

for (const [kind, source] of Object.entries({ empty: NONE, migrated })) {
  t.test(`an interrupted creation of a cluster (${kind}) is repeated when the database is opened`, async (t) => {
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

async function readNames(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

t.test('a copy of the migrated cluster has the schema of a migrated database, and a channel of its own', async (t) => {
  const folder = t.testdir()
  const channels: string[] = []
  const schemas: [parts: string[], migrations: string[]][] = []
  for (const name of ['migrated', 'copy', 'other copy']) {
    const dataDir = join(folder, name)
    await mkdir(join(dataDir, 'database'), { recursive: true })
    await createCluster(join(dataDir, 'database'), name === 'migrated' ? NONE : migrated)
    const { db, close } = await openDatabase({ databaseUrl: null, dataDir })
    schemas.push([await describeSchema(db), await readNames(db)])
    channels.push((await findOutboxState(db))?.channel ?? '')
    await close()
  }
  t.ok((schemas[0]?.[0].length ?? 0) > 500)
  t.same(schemas[1], schemas[0])
  t.equal(new Set(channels).size, 3)
  t.notOk(channels.includes(''))
})

t.test('the migrated cluster is reused, with all migrations and without their WAL', async (t) => {
  const folder = t.testdir()
  t.equal(await makeMigratedCluster(), migrated)
  await cp(migrated, join(folder, 'database'), { recursive: true })
  const { db, close } = await openPglite(join(folder, 'database'))
  t.same(await readNames(db), Object.keys(await loadMigrations()))
  await close()
  const log = readdirSync(join(migrated, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name))
  t.equal(log.length, 1, 'without the log of the migrations')
})
