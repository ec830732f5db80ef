import t from 'tap'
import { tokenId } from '../../db/token-ids.ts'
import { reindex } from '../../indexer/engine/reindex.ts'
import { modules } from '../../indexer/modules.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { readTokenId } from '../support/readable-rows.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

t.test('a rebuild from the stored logs gives the same tables, and keeps user data', async (t) => {
  const test = await startChain(t)
  const { graduated: token, launch } = await playMarket(test)
  const { db } = await createTestDatabase(t)
  await indexToHead(db, test)

  await db
    .insertInto('token_metadata')
    .values({ token_id: await readTokenId(db, token), hidden: true, updated_by: launch.from })
    .execute()
  await db.updateTable('token_figures').set({ hidden: true }).where('token_id', '=', tokenId(token)).execute()
  await db
    .insertInto('claims')
    .values({ tx_hash: launch.transactionHash, wallet: launch.from, kind: 'create' })
    .execute()
  const before = await readTables(db)
  const others = () =>
    Promise.all([db.selectFrom('token_metadata').selectAll().execute(), db.selectFrom('claims').selectAll().execute()])
  const written = await others()

  // Whatever has gone wrong in the derived tables is gone afterwards.
  await db.updateTable('balances').set({ balance: '1' }).execute()
  await db.deleteFrom('candles').execute()
  const progress: number[] = []
  const done = await reindex(db, modules, ({ logs }) => progress.push(logs))

  t.strictSame(diffTables(await readTables(db), before), [])
  t.strictSame(await others(), written)
  t.equal(done.logs, done.totalLogs)
  t.strictSame(progress, [done.logs])
  t.ok(before.get('readable_trades')!.size >= 12)
})

t.test('a rebuild before anything was indexed is an error', async (t) => {
  const { db } = await createTestDatabase(t)
  await t.rejects(reindex(db, modules), { message: /Nothing has been indexed/ })
})
