import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import t from 'tap'
import { DistributeError, distribute } from '../../db/citus/distribute.ts'
import { listTables } from '../../db/citus/list-tables.ts'
import { openDatabase } from '../../db/client.ts'
import { loadMigrations, migrateToLatest } from '../../db/migrate.ts'
import { connectForMigrations } from '../../db/postgres/migrate-server.ts'
import { createPool, NO_LIMITS } from '../../db/postgres/pools.ts'
import { listTokens } from '../../db/queries/token-list.ts'
import { readRows, restoreOld } from '../db/fixtures/before-baselines.ts'
import { diffTables, readTables } from '../indexer/fixtures/tables.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { runOn } from '../support/prepared-database.ts'
import { findCitus } from './citus/find-citus.ts'
import { type CitusNodes, joinNodes, startCitusNodes } from './citus/start-nodes.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const bin = await findCitus()
const skip = bin === undefined && 'skipped: no Citus'
t.setTimeout(2_400_000)

const open = (databaseUrl: string) => openDatabase({ databaseUrl, dataDir: '' })
const on = (url: string, name: string) => url.replace(/postgres$/, name)

/** They execute most statements of the service, the indexer, a rebuild and the audit. */
const FILES = [
  ...['contract/fuzz', 'acceptance/story', 'acceptance/audit', 'features/screener-follow'],
  ...['indexer/random', 'indexer/launchpads/all-random', 'indexer/launchpads/contract-reads', 'indexer/conflicts'],
  ...['indexer/notifications/alerts', 'indexer/archive/archive', 'features/token-metadata'],
  ...['indexer/deployments/added-random', 'routes/operators/deployments'],
]

t.test('tests of the service hold there as well', { skip }, async (t) => {
  const { url, workers } = (await startCitusNodes(t, bin as string, 2)) as CitusNodes
  const servers = { TEST_DATABASE_URL: url, TEST_CITUS_WORKERS: workers.map((worker) => worker.url).join(',') }
  const options = { cwd: ROOT, env: { ...process.env, ...servers }, maxBuffer: 1 << 26 }
  const listFailures = async (file: string): Promise<string[]> => {
    try {
      await promisify(execFile)(process.execPath, [...process.execArgv, `test/${file}.test.ts`], options)
      return []
    } catch (error) {
      const { message, stdout } = error as Error & { stdout: string }
      return [message, ...stdout.split('\n').filter((line) => /^\s*not ok/.test(line))]
    }
  }
  for (const file of FILES) t.strictSame(await listFailures(file), [], file)
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
  const readJit = async () => {
    const { rows } = await sql<{ result: string }>`select result from run_command_on_all_nodes('show jit')`.execute(db)
    return rows.map(({ result }) => result)
  }
  t.strictSame(await readJit(), ['off', 'off', 'off'], 'in the sessions that Citus opens')

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
  t.strictSame(await run(), [])
  t.strictSame(await readJit(), ['off', 'off', 'off', 'off'], 'on the new worker, too')
  t.strictSame(diffTables(await readTables(db), before), [])
})

/** The first version with `npm run distribute` had the migrations up to this one. */
const FIRST_DISTRIBUTED = '0015-watchlists'

t.test('the upgrade of a distributed database keeps the rows as on one server', { skip }, async (t) => {
  const { url, workers } = (await startCitusNodes(t, bin as string, 2)) as CitusNodes
  for (const node of [url, ...workers.map((worker) => worker.url)]) await runOn(node, 'create database distributed')
  await runOn(url, 'create database alone')
  const known = Object.entries(await loadMigrations())
  const first = Object.fromEntries(known.filter(([name]) => name <= FIRST_DISTRIBUTED))
  t.ok(FIRST_DISTRIBUTED in first)
  const openOld = async (name: string) => {
    const db = connectForMigrations(createPool(on(url, name), 'migrations', NO_LIMITS))
    t.teardown(() => db.destroy())
    await restoreOld(db)
    await migrateToLatest(db, async () => first)
    return db
  }
  const [distributed, alone] = [await openOld('distributed'), await openOld('alone')]
  await joinNodes(
    on(url, 'distributed'),
    workers.map((worker) => on(worker.url, 'distributed')),
  )
  await distribute(distributed, { shards: 4 })

  for (const db of [distributed, alone]) await migrateToLatest(db)
  t.ok((await distribute(distributed, { shards: 4 })).includes('snipers'), 'tables of later migrations')
  for (const { name, spread, isSpread } of await listTables(distributed)) t.equal(isSpread, spread !== 'local', name)
  const [rows, expected] = [await readRows(distributed), await readRows(alone)]
  t.ok(Object.values(expected).flat().length > 50)
  for (const [name, lines] of Object.entries(expected)) t.strictSame(rows[name], lines, name)
  t.strictSame(diffTables(await readTables(distributed), await readTables(alone)), [], 'and their views')
})
