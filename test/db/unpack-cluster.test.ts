import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { openPglite } from '../../db/client.ts'
import { MARKER, unpackCluster } from '../../db/unpack-cluster.ts'

t.test('an interrupted unpacking is repeated when the database is opened', async (t) => {
  const folder = join(t.testdir(), 'database')
  await mkdir(folder)
  const blocked = join(folder, 'pg_xact')
  await writeFile(blocked, 'a file where a folder must be')
  await t.rejects(unpackCluster(folder))
  t.notOk(existsSync(join(folder, MARKER)), 'the folder is not marked')
  await t.rejects(openPglite(folder))
  t.notOk(existsSync(`${folder}.lock`), 'nor is it locked')

  await rm(blocked)
  const { db, close } = await openPglite(folder)
  const { rows } = await sql<{ sum: number }>`select 1 + 1 as sum`.execute(db)
  t.same(rows, [{ sum: 2 }])
  await close()
})
