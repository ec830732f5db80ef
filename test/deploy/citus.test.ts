import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import t from 'tap'
import { DistributeError, distribute } from '../../db/citus/distribute.ts'
import { listTables } from '../../db/citus/list-tables.ts'
import { openDatabase } from '../../db/client.ts'
import { listTokens } from '../../db/queries/token-list.ts'
import { diffTables, readTables } from '../indexer/fixtures/tables.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { runOn } from '../support/prepared-database.ts'
import { findCitus } from './citus/find-citus.ts'
import { type CitusNodes, joinNodes, startCitusNodes } from './citus/start-nodes.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const bin = await findCitus()
const skip = bin === undefined && 'skipped: no Citus'
t.setTimeout(1_200_000)

const open = (databaseUrl: string) => openDatabase({ databaseUrl, dataDir: '' })
const on = (url: string, name: string) => url.replace(/postgres$/, name)

t.test('no fuzzed request is answered otherwise than on PostgreSQL', { skip }, async (t) => {
  const { url, workers } = (await startCitusNodes(t, bin as string, 2)) as CitusNodes
  const servers = { TEST_DATABASE_URL: url, TEST_CITUS_WORKERS: workers.map((worker) => worker.url).join(',') }
  const run = promisify(execFile)
  const options = { cwd: ROOT, env: { ...process.env, ...servers }, maxBuffer: 1 << 26 }
  await t.resolves(run(process.execPath, [...process.execArgv, 'test/contract/fuzz.test.ts'], options))
})

t.test('a database with rows is distributed, and reads the same before and after', { skip }, async (t) => {
  const { url, workers } = (await startCitusNodes(t, bin as string, 3)) as CitusNodes
  const [first, second, third] = workers.map((worker) => worker.url) as [string, string, string]
  for (const node of [url, first, second, third]) await runOn(node, 'create database old')
  const { db, close } = await open(on(url, 'old'))
  t.teardown(close)
  await fillMarket(db)
  const before = await readTables(db)
  const listed = await listTokens(db, { sort: 'mcap', limit: 21 })
  const run = () => distribute(db, { shards: 4 })

  await t.rejects(
    run(),
    new DistributeError(
      'The database has no extension Citus. Run on it, on the coordinator and on every worker: create extension citus',
    ),
  )
  await runOn(on(url, 'old'), 'create extension citus')
  await t.rejects(run(), { name: 'DistributeError', message: /^The workers do not know the coordinator\. / })
  await joinNodes(on(url, 'old'), [])
  await t.rejects(run(), { name: 'DistributeError', message: /^There is no worker\. / })
  await joinNodes(on(url, 'old'), [on(first, 'old'), on(second, 'old')])

  const spread = await run()
  t.ok(spread.includes('trades') && spread.includes('tokens') && !spread.includes('notifications'))
  t.strictSame(diffTables(await readTables(db), before), [])
  t.strictSame(await listTokens(db, { sort: 'mcap', limit: 21 }), listed)
  for (const { name, spread, isSpread } of await listTables(db)) t.equal(isSpread, spread !== 'local', name)
  t.strictSame(await run(), [], 'once')

  const count = async () => {
    const { rows } = await sql<{ shards: number }>`select count(*) as shards from citus_shards
      where table_name = 'balances'::regclass and nodeport = ${Number(new URL(third).port)}`.execute(db)
    return rows[0]?.shards
  }
  await joinNodes(on(url, 'old'), [on(third, 'old')])
  t.equal(await count(), 0)
  await runOn(on(url, 'old'), 'select citus_rebalance_start()')
  await runOn(on(url, 'old'), 'select citus_rebalance_wait()')
  t.ok(await count(), 'a new worker gets shards')
  t.strictSame(diffTables(await readTables(db), before), [])
})
