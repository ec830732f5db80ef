import { randomInt } from 'node:crypto'
import t from 'tap'
import { audit } from '../../indexer/audit/audit.ts'
import { reindex } from '../../indexer/reindex.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createDatabasePlace, createTestDatabase, openTestDatabase, serverUrl } from '../support/database.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { Random } from './fixtures/random.ts'
import { raiseOperations } from './fixtures/random-raises.ts'
import { RandomRun } from './fixtures/random-run.ts'
import { stakingOperations } from './fixtures/random-staking.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

/** SEED=random draws another one each time. */
const given = process.env.SEED ?? '20261121'
const seed = given === 'random' ? randomInt(2 ** 31) : Number(given)
const kinds = [
  ...['launch', 'bundle', 'graduate', 'swap buy', 'swap sell', 'burn', 'complete', 'add liquidity'],
  ...stakingOperations,
  ...raiseOperations,
]
const goals = { operations: Number(process.env.OPERATIONS ?? 500), reorgs: 20, kills: 5, kinds }
const where = serverUrl === null ? 'PGlite' : 'PostgreSQL'

t.setTimeout(300_000)

t.test(`whatever happens, the tables say what the chain says (${where}, SEED=${seed})`, async (t) => {
  const place = await createDatabasePlace(t)
  const test = await startChain(t, { env: { FINALITY_DEPTH: '10' }, accounts: 10 })
  const environment = {
    ...test.environment,
    DATA_DIR: place.dataDir,
    ...(place.databaseUrl !== null && { DATABASE_URL: place.databaseUrl }),
  }
  const run = new RandomRun(test, environment, new Random(seed))
  const tally = await run.run(goals).finally(() => run.end())
  for (const [name, counts] of Object.entries(tally)) {
    t.comment(name, counts instanceof Map ? Object.fromEntries(counts) : counts)
  }

  const { db } = await openTestDatabase(t, place)
  const differences: string[] = []
  const summary = await audit({ ...test, db, onDifference: (line) => differences.push(line) })
  t.strictSame(differences.slice(0, 20), [], `the audit is clean (SEED=${seed})`)
  t.comment(summary)

  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  const expected = await readTables(fresh.db)
  t.strictSame(
    diffTables(await readTables(db), expected).slice(0, 20),
    [],
    `the tables are those of a fresh index (SEED=${seed})`,
  )
  await reindex(db)
  t.strictSame(
    diffTables(await readTables(db), expected).slice(0, 20),
    [],
    `and those of a rebuild from the stored logs (SEED=${seed})`,
  )
  for (const name of kinds) t.ok(tally.operations.get(name), `${name} was part of it`)
  t.ok(tally.syncs.get('ok'), 'so were syncs')
})
