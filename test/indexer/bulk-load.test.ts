import { sql } from 'kysely'
import t from 'tap'
import { type Address, parseEther } from 'viem'
import { finishBulkLoad, readBulkLoad, startBulkLoad } from '../../db/bulk-load.ts'
import type { Db, Transact } from '../../db/client.ts'
import { loadMigrations, migrateToLatest } from '../../db/migrate.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import type { Follower } from '../../indexer/engine/follow.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'
import { optimizeWasm } from '../support/v8-flags.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import { createFollower } from './fixtures/follower.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

optimizeWasm()

t.setTimeout(400_000)

const test = await startChain(t)
await playMarket(test)
const act = makeActions(test.deployed)
const [, ann] = test.accounts as [Address, Address]
const [unseen] = await test.node.run(act.launch(ann, 'AHEAD', parseEther('0.1')))
for (let left = 4; left > 0; left--) await test.node.mine()
const config = { ...test.config, finality: { unit: 'blocks', amount: 2 } as const }

/** The definitions of all indexes, with those of partitions or without. */
async function listIndexes(db: Db, { withParts = true } = {}): Promise<string[]> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_indexdef(indexrelid) as definition from pg_index join pg_class t on t.oid = indrelid
    where t.relnamespace = current_schema()::regnamespace and indisvalid
      and (${withParts} or not t.relispartition) order by 1`.execute(db)
  return rows.map(({ definition }) => definition)
}

/** A follower for which every batch is large. */
async function follow(db: Db) {
  const { chain, contracts } = test
  await prepareChainState(db, chain, contracts, config)
  return createFollower({ db, chain, contracts, finality: config.finality, databaseKind: 'pglite', bulkLogs: 1 })
}

async function untilLoading(db: Db, follower: Follower): Promise<void> {
  while ((await readBulkLoad(db)) === null) await follower.step()
}

async function toHead(follower: Follower): Promise<void> {
  while ((await follower.step()) === 'again') {}
}

t.test('a bulk load writes the same rows and leaves the same indexes', async (t) => {
  const [plain, bulk] = [await createTestDatabase(t), await createTestDatabase(t)]
  await indexToHead(plain.db, { ...test, config })
  const indexes = await listIndexes(plain.db)

  const killed = await follow(bulk.db)
  await untilLoading(bulk.db, killed)
  const dropped = (await listIndexes(bulk.db)).length
  t.ok(dropped < indexes.length - 10, `${dropped} of ${indexes.length} indexes are left`)
  const synced = await syncTransaction(
    { db: bulk.db, chain: test.chain, getContracts: async () => test.contracts },
    { txHash: unseen!.transactionHash, kind: 'create', wallet: ann.toLowerCase() },
  )
  t.equal(synced.positions.length, 1, 'a receipt sync goes on meanwhile')

  // Another process takes over after a crash.
  await toHead(await follow(bulk.db))
  t.equal(await readBulkLoad(bulk.db), null)
  t.strictSame(await listIndexes(bulk.db), indexes)
  t.strictSame(diffTables(await readTables(bulk.db), await readTables(plain.db)), [])
})

t.test('the creation of the indexes continues where it was interrupted', async (t) => {
  const { db } = await createTestDatabase(t)
  await indexToHead(db, { ...test, config })
  const indexes = await listIndexes(db)
  const wholes = (await listIndexes(db, { withParts: false })).length
  await db.transaction().execute((trx) => startBulkLoad(trx, 0))
  let created = 0
  const onIndex = () => {
    created += 1
    if (created === 2) throw new Error('The process is killed')
  }
  const crash = finishBulkLoad(db, { onIndex })
  await t.rejects(crash, { message: /killed/ })
  const left = (await readBulkLoad(db))?.indexes.length ?? 0
  t.ok(left > 5)
  t.equal((await listIndexes(db, { withParts: false })).length, wholes - left)
  await toHead(await follow(db))
  t.strictSame(await listIndexes(db), indexes)
})

t.test('a backfill into a database with many trades does not drop its indexes', async (t) => {
  const { db } = await createTestDatabase(t)
  await sql`select make_partitions(array[-1], null)`.execute(db)
  await sql`insert into trades (block_number, log_index, block_time, tx_hash, token_id, trader, launchpad_id, quote_id, side,
      venue, token_amount, quote_amount, protocol_fee, creator_fee, virtual_quote, virtual_token, price)
    select -1, n, 0, 'hash', 0, 'trader', 0, 0, 'b', 'c', 1, 1, 0, 0, 1, 1, 1
    from generate_series(1, 100001) n`.execute(db)
  const indexes = await listIndexes(db)
  const follower = await follow(db)
  while ((await follower.step()) === 'again') t.equal(await readBulkLoad(db), null)
  const after = await listIndexes(db)
  t.strictSame(
    indexes.filter((index) => !after.includes(index)),
    [],
  )
})

for (const { databaseKind, atOnce } of [
  { databaseKind: 'pglite', atOnce: 1 },
  { databaseKind: 'postgres', atOnce: 2 },
] as const) {
  t.test(`on ${databaseKind}, the indexer creates indexes ${atOnce} at a time`, async (t) => {
    const { db } = await createTestDatabase(t)
    const { chain, contracts } = test
    await prepareChainState(db, chain, contracts, config)
    let [running, most] = [0, 0]
    const transact: Transact = async (work) => {
      most = Math.max(most, ++running)
      return db
        .transaction()
        .execute(work)
        .finally(() => running--)
    }
    await toHead(
      createFollower({ db, chain, contracts, databaseKind, transact, finality: config.finality, bulkLogs: 1 }),
    )
    t.equal(most, atOnce)
  })
}

t.test('two processes that create the indexes concurrently create each index once', async (t) => {
  const { db, indexer } = await createTestDatabase(t)
  await indexToHead(db, { ...test, config })
  const indexes = await listIndexes(db)
  await db.transaction().execute((trx) => startBulkLoad(trx, 0))
  const dropped = (await readBulkLoad(db))?.indexes.map(({ name }) => name) ?? []
  const created: string[] = []
  const onIndex = (name: string) => created.push(name)
  await Promise.all([finishBulkLoad(db, { onIndex }), finishBulkLoad(indexer, { onIndex })])
  t.match(dropped[0], /^trades_/, 'the largest table comes first')
  t.strictSame(created.sort(), dropped.sort(), 'each once')
  t.strictSame(await listIndexes(db), indexes)
})

const skip = serverUrl === null && 'PGlite has one session'

t.test(
  'two indexes of the same columns are not created at once: their parts would have one name',
  { skip },
  async (t) => {
    const { db, indexer } = await createTestDatabase(t)
    await indexToHead(db, { ...test, config })
    const indexes = await listIndexes(db)
    await db.transaction().execute((trx) => startBulkLoad(trx, 0))
    const [first, second] = (await readBulkLoad(db))?.indexes ?? []
    t.match([first?.name, second?.name], ['trades_large', 'trades_large_quoted'])
    const isAnotherWaiting = async () => {
      const { rows } = await sql`select from pg_locks l join pg_stat_activity a using (pid)
      where not l.granted and l.locktype = 'advisory' and a.datname = current_database()`.execute(db)
      return rows.length > 0
    }
    let isFirst = true
    const transact: Transact = (work) =>
      indexer.transaction().execute(async (trx) => {
        const result = await work(trx)
        if (isFirst) {
          isFirst = false
          await waitUntil('the other index waits before it is created', isAnotherWaiting, { timeoutMs: 20_000 })
        }
        return result
      })
    await finishBulkLoad(indexer, { transact, atOnce: 2 })
    t.strictSame(await listIndexes(db), indexes)
  },
)

t.test('indexes whose creation waits for a lock do not block the others', { skip }, async (t) => {
  const { db, indexer } = await createTestDatabase(t)
  await indexToHead(db, { ...test, config })
  const indexes = await listIndexes(db)
  await db.transaction().execute((trx) => startBulkLoad(trx, 0))
  const dropped = (await readBulkLoad(db))?.indexes ?? []
  const isOf = (table: string) => dropped.filter(({ definition }) => definition.includes(` ON public.${table} `)).length
  const [blocked, others] = [isOf('balances'), dropped.length - isOf('balances')]
  t.equal(blocked, 2)
  const othersExist = Promise.withResolvers<void>()
  let created = 0
  const finishing = db.transaction().execute(async (writer) => {
    await sql`lock table balances in row exclusive mode`.execute(writer)
    const onIndex = () => {
      if (++created === others) othersExist.resolve()
    }
    const finished = finishBulkLoad(indexer, { onIndex, atOnce: blocked + 1 })
    await Promise.race([othersExist.promise, finished])
    t.equal((await readBulkLoad(db))?.indexes.length, blocked)
    // Not the promise itself, for which the transaction would wait.
    return { finished }
  })
  await (await finishing).finished
  t.strictSame(await listIndexes(db), indexes)
  t.equal(await readBulkLoad(db), null)
})

t.test('a backfill completes with its indexes in place while a backup reads the tables', { skip }, async (t) => {
  const { db, indexer } = await createTestDatabase(t)
  const follower = await follow(indexer)
  await db.transaction().execute(async (backup) => {
    await sql`lock table trades in access share mode`.execute(backup)
    await toHead(follower)
  })
  t.equal(await readBulkLoad(db), null)
  t.ok(await db.selectFrom('readable_trades').select('log_index').limit(1).executeTakeFirst())
})

t.test('a pending migration runs after the indexes of a bulk load are created again', async (t) => {
  const { db } = await createTestDatabase(t)
  const indexes = await listIndexes(db)
  await prepareChainState(db, test.chain, test.contracts, config)
  await db.transaction().execute((trx) => startBulkLoad(trx, 0))
  await migrateToLatest(db)
  t.not(await readBulkLoad(db), null, 'without a pending migration the load goes on')

  let found: string[] = []
  const up = async (migrating: Db) => {
    found = await listIndexes(migrating)
  }
  await migrateToLatest(db, async () => ({ ...(await loadMigrations()), '9999-test': { up } }))
  t.strictSame(found, indexes)
  t.equal(await readBulkLoad(db), null)
})
