import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { type Address, type Hex, parseEther, zeroHash } from 'viem'
import { Chain, type LogFilter } from '../../chain/rpc/client.ts'
import type { Transact } from '../../db/client.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { AppError } from '../../errors.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { undoFrom } from '../../indexer/engine/undo.ts'
import { deployBatch, launchedToken, makeActions } from '../support/actors.ts'
import { GENESIS_TIME, Node, startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

type Refusal = `TRANSACTION_${'ALREADY_INDEXED' | 'FOREIGN' | 'NOT_FOUND' | 'PENDING'}` | 'EVENT_MISSING'

/** What a sync is rejected with. */
const refused = (reason: Refusal) => new AppError(reason, {}, reason === 'TRANSACTION_PENDING' ? { retryAfter: 2 } : {})

async function startStopped(t: Test) {
  const test = await startChain(t)
  const { db } = await createTestDatabase(t)
  await prepareChainState(db, test.chain, test.contracts, test.config)
  const act = makeActions(test.deployed)
  const sync = (txHash: Hex, wallet: Address, kind: string) =>
    syncTransaction({ db, chain: test.chain, getContracts: async () => test.contracts }, { txHash, wallet, kind })
  const expectFresh = async (what: string) => {
    await indexToHead(db, test)
    const fresh = await createTestDatabase(t)
    await indexToHead(fresh.db, test)
    t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [], what)
  }
  const [owner, ann, bob, eve] = test.accounts as [Address, Address, Address, Address]
  return { ...test, test, db, act, sync, expectFresh, owner, ann, bob, eve }
}

t.test('a buy synced before its token is indexed also stores the token', async (t) => {
  const { node, act, sync, db, ann, bob, expectFresh } = await startStopped(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  await node.run(act.buy(ann, token, parseEther('0.2')))
  const [buy] = await node.run(act.buy(bob, token, parseEther('0.3')))
  const { positions } = await sync(buy!.transactionHash, bob, 'buy')
  t.strictSame(positions, [{ blockNumber: Number(buy!.blockNumber), logIndex: positions[0]?.logIndex }])
  const figures = await db.selectFrom('readable_token_figures').selectAll().executeTakeFirstOrThrow()
  t.match(figures, { token, trades_total: 2 })
  await expectFresh('when the indexer has caught up')
})

t.test('requests for one transaction share the polls of the node', async (t) => {
  const { node, sync, chain, ann, bob } = await startStopped(t)
  const [payment] = await node.run({ from: ann, to: bob, value: 1n })
  const txHash = payment!.transactionHash
  const calls = { getReceipt: 0, hasTransaction: 0 }
  const { getReceipt, hasTransaction } = chain
  chain.getReceipt = async (hash) => (++calls.getReceipt < 3 ? null : getReceipt.call(chain, hash))
  chain.hasTransaction = (hash) => {
    calls.hasTransaction++
    return hasTransaction.call(chain, hash)
  }
  await Promise.all(Array.from({ length: 25 }, () => t.rejects(sync(txHash, ann, 'buy'), refused('EVENT_MISSING'))))
  t.same(calls, { getReceipt: 3, hasTransaction: 2 })
  await t.rejects(sync(txHash, ann, 'buy'), refused('EVENT_MISSING'))
  t.equal(calls.getReceipt, 4, 'a later request reads again')
})

t.test('a swap in a pool that is not stored yet is synced', async (t) => {
  const { node, sync, test, db, expectFresh, act, bob, eve } = await startStopped(t)
  const { graduated } = await playMarket(test)
  const [buy, sale] = await node.run(
    act.swapBuy(eve, graduated, parseEther('0.2')),
    act.swapSell(bob, graduated, parseEther('10')),
  )
  await sync(sale!.transactionHash, bob, 'sell')
  await sync(buy!.transactionHash, eve, 'buy')
  const trades = await db.selectFrom('readable_trades').selectAll().where('venue', '=', 'pool').execute()
  t.strictSame(trades.map(({ side, trader }) => [side, trader]).sort(), [
    ['buy', eve],
    ['sell', bob],
  ])
  await expectFresh('when the indexer has caught up')
})

t.test('a sync also stores the prerequisites of its prerequisites', async (t) => {
  const { node, act, sync, db, ann, bob, eve, expectFresh } = await startStopped(t)
  const { wallets, bundle } = await deployBatch(node, [ann, bob])
  const [first, second] = wallets as [Address, Address]
  const [one] = await node.run(act.launch(ann, 'ONE'))
  const [two] = await node.run(act.launch(ann, 'TWO'))
  const [token, graduated] = [launchedToken(one!), launchedToken(two!)]
  await node.run(act.buy(bob, graduated, parseEther('100')))
  // The swap wants the graduation, which came in one transaction with a trade of a token that nobody has asked for.
  await node.run(bundle(eve, [act.buy(first, token, 1_000n), act.graduate(second, graduated)]))
  const [swap] = await node.run(act.swapBuy(eve, graduated, parseEther('0.2')))
  await sync(swap!.transactionHash, eve, 'buy')
  t.match(await db.selectFrom('readable_trades').select('trader').where('token', '=', token).execute(), [
    { trader: first },
  ])
  await expectFresh('when the indexer has caught up')
})

t.test('a receipt of an orphaned branch, synced while the indexer fetches the blocks, is undone', async (t) => {
  const { node, act, ann, bob, db, contracts, anvil, expectFresh } = await startStopped(t)
  // Amid the range that is fetched: of its first and last block the indexer always has the header.
  for (let left = 3; left > 0; left--) await node.mine()
  const launchOf = (symbol: string) => act.launch(ann, symbol, parseEther('0.1'), undefined, { salt: zeroHash })
  const [launch] = await node.run(launchOf('ONE'))
  const token = launchedToken(launch!)
  const [buy] = await node.run(act.buy(bob, token, parseEther('0.3')))
  const copy = await startAnvil({ timestamp: GENESIS_TIME })
  t.teardown(() => copy.stop())
  await new Node(copy.url).call('anvil_loadState', await node.call('anvil_dumpState'))
  await node.reorg(2, [{ action: launchOf('TWO'), block: 1 }])
  for (let left = 4; left > 0; left--) await node.mine()

  let wasSynced = false
  class MeanwhileChain extends Chain {
    override async getPackedLogs(filter: LogFilter, options?: { inWorker?: boolean }) {
      const packed = await super.getPackedLogs(filter, options)
      const { range } = filter
      const launchedAt = Number(launch!.blockNumber)
      if (wasSynced || 'blockHash' in range || range.from > launchedAt || range.to < launchedAt) return packed
      wasSynced = true
      const services = { db, chain: new Chain([copy.url]), getContracts: async () => contracts }
      await syncTransaction(services, { txHash: buy!.transactionHash, wallet: bob, kind: 'buy' })
      t.match(await db.selectFrom('tokens').selectAll().execute(), [{ address: token, symbol: 'ONE' }])
      return packed
    }
  }
  const chain = new MeanwhileChain([anvil.url])
  const follower = new Follower({ db, chain, contracts, finality: { unit: 'blocks', amount: 1 } })
  while ((await follower.step()) === 'again');
  t.ok(wasSynced)
  t.match(await db.selectFrom('tokens').selectAll().execute(), [{ address: token, symbol: 'TWO' }])
  await expectFresh('the branch that stayed')
})

t.test('each trader of a batched transaction syncs their own trades, and other wallets are rejected', async (t) => {
  const { node, act, sync, ann, bob, eve, expectFresh } = await startStopped(t)
  const { wallets, bundle } = await deployBatch(node, [ann, bob])
  const [first, second] = wallets as [Address, Address]
  const [launch] = await node.run(act.launch(ann, 'ONE'))
  const token = launchedToken(launch!)
  const actions = [act.buy(first, token, 1_000n), act.buy(second, token, 2_000n), act.buy(first, token, 3_000n)]
  const [receipt] = await node.run(bundle(eve, actions))
  const hash = receipt!.transactionHash
  t.equal((await sync(hash, first, 'buy')).positions.length, 2)
  t.equal((await sync(hash, second, 'buy')).positions.length, 1)
  await t.rejects(sync(hash, second, 'buy'), refused('TRANSACTION_ALREADY_INDEXED'))
  await t.rejects(sync(hash, eve, 'buy'), refused('TRANSACTION_FOREIGN'), 'who only sent it')
  await t.rejects(sync(hash, first, 'sell'), refused('EVENT_MISSING'))
  await t.rejects(sync(`0x${'12'.repeat(32)}`, first, 'buy'), refused('TRANSACTION_NOT_FOUND'))
  await expectFresh('when the indexer has caught up')
})

t.test('an undo between the search for prerequisites and the commit loses no event', async (t) => {
  const { test, node, db, act, ann, bob, eve, contracts, chain, expectFresh } = await startStopped(t)
  const { wallets, bundle } = await deployBatch(node, [ann, bob])
  const [first, second] = wallets as [Address, Address]
  const [older] = await node.run(act.launch(ann, 'ONE'))
  const [newer] = await node.run(act.launch(ann, 'TWO'))
  await indexToHead(db, test)
  const buys = [act.buy(first, launchedToken(older!), 1_000n), act.buy(second, launchedToken(newer!), 2_000n)]
  const [receipt] = await node.run(bundle(eve, buys))
  let attempts = 0
  const transactSync: Transact = async (work) => {
    attempts += 1
    if (attempts === 1) await db.transaction().execute((trx) => undoFrom(trx, contracts, Number(newer!.blockNumber)))
    return db.transaction().execute(work)
  }
  const services = { db, chain, getContracts: async () => contracts, transactSync }
  // Without the launch of the second token its buy would be rejected for good.
  await syncTransaction(services, { txHash: receipt!.transactionHash, wallet: first, kind: 'buy' })
  t.equal(attempts, 2)
  await expectFresh('both buys are stored')
})

t.test('one of a hundred concurrent syncs of a transaction succeeds', async (t) => {
  const { node, act, sync, ann, db } = await startStopped(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const hash = launch!.transactionHash
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, () =>
      sync(hash, ann, 'buy').then(
        () => 'ok',
        (error: { reason?: string }) => String(error.reason ?? error),
      ),
    ),
  )
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  t.strictSame(counts, { ok: 1, TRANSACTION_ALREADY_INDEXED: 99 })
  t.equal((await db.selectFrom('readable_trades').selectAll().execute()).length, 1)
})

t.test('a synced trade of an orphaned block is removed when the indexer reaches its height', async (t) => {
  const { node, act, sync, ann, bob, db, expectFresh, test } = await startStopped(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  await node.mine()
  await indexToHead(db, test)
  const token = launchedToken(launch!)
  const [buy] = await node.run(act.buy(bob, token, parseEther('0.3')))
  await sync(buy!.transactionHash, bob, 'buy')
  await node.reorg(1)
  // Days later: what is left of the old branch is older than what replaced it.
  await node.mine(3 * 86_400)
  await expectFresh('the buy is gone')
  t.equal((await db.selectFrom('readable_trades').selectAll().execute()).length, 1)
  await t.rejects(sync(buy!.transactionHash, bob, 'buy'), refused('TRANSACTION_NOT_FOUND'))
})

t.test('a synced orphaned block does not corrupt the time windows while the new chain is shorter', async (t) => {
  const { node, act, sync, ann, bob, db, expectFresh, test } = await startStopped(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  await node.mine()
  await indexToHead(db, test)
  for (let left = 3; left > 0; left--) await node.mine()
  const [buy] = await node.run(act.buy(bob, token, parseEther('0.3')))
  await sync(buy!.transactionHash, bob, 'buy')
  await node.rollback(4)
  await node.mine(2 * 86_400)
  await node.run(act.buy(ann, token, 9_000n))
  await indexToHead(db, test)
  for (let left = 6; left > 0; left--) await node.mine()
  await expectFresh('the windows')
})

t.test('a launch at the same address is synced from the new branch before the indexer follows it', async (t) => {
  const { node, act, sync, ann, db, expectFresh, test } = await startStopped(t)
  await node.mine()
  await node.run(act.launch(ann, 'ONE', parseEther('0.1'), undefined, { salt: zeroHash }))
  await node.mine()
  await indexToHead(db, test)
  await node.rollback(2)
  await node.mine()
  const [launch] = await node.run(act.launch(ann, 'TWO', parseEther('0.2'), undefined, { salt: zeroHash }))
  await sync(launch!.transactionHash, ann, 'create')
  const tokens = await db.selectFrom('tokens').selectAll().execute()
  t.match(tokens, [{ symbol: 'TWO', creator: ann, address: launchedToken(launch!) }])
  await expectFresh('the new branch')
})

t.test('a launch synced from an orphaned branch does not stop the indexer', async (t) => {
  const { node, act, sync, ann, db, test, expectFresh } = await startStopped(t)
  await node.mine()
  await indexToHead(db, test)
  for (let left = 3; left > 0; left--) await node.mine()
  const launchOf = (symbol: string) => act.launch(ann, symbol, 0n, undefined, { salt: zeroHash })
  const [launch] = await node.run(launchOf('ONE'))
  await sync(launch!.transactionHash, ann, 'create')
  await node.rollback(4)
  const [other] = await node.run(launchOf('TWO'))
  t.equal(launchedToken(other!), launchedToken(launch!), 'the same address, lower down')
  await indexToHead(db, test)
  t.match(await db.selectFrom('tokens').selectAll().execute(), [{ symbol: 'TWO' }])
  await node.mine()
  await expectFresh('the new branch')
})

t.test('a receipt that contradicts a final block is rejected', async (t) => {
  const { node, act, sync, ann, db, test } = await startStopped(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  for (let left = Number(test.config.finality.amount) + 2; left > 0; left--) await node.mine()
  await indexToHead(db, test)
  await db
    .updateTable('blocks')
    .set({ hash: Buffer.alloc(32) })
    .where('log_count', '>', 0)
    .execute()
  const reason = 'the node contradicts a block that was taken as final'
  await t.rejects(
    sync(launch!.transactionHash, ann, 'create'),
    new AppError('FINALITY_BROKEN', { reason }, { retryAfter: 30 }),
  )
  t.equal((await db.selectFrom('readable_trades').selectAll().execute()).length, 1)
  t.equal((await db.selectFrom('claims').selectAll().execute()).length, 0)
})

t.test('a receipt undoes an orphaned block only above the final height', async (t) => {
  for (const isFinal of [true, false]) {
    const { node, act, sync, ann, db, test } = await startStopped(t)
    const above = Number(test.config.finality.amount) - Number(!isFinal)
    const launchOn = async (symbol: string) => {
      const [launch] = await node.run(act.launch(ann, symbol, parseEther('0.1')))
      for (let left = above; left > 0; left--) await node.mine()
      return launch!
    }
    const launch = await launchOn('ONE')
    await indexToHead(db, test)
    const { finalized_number } = await db.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
    t.equal(finalized_number, Number(launch.blockNumber) - Number(!isFinal))
    await node.rollback(above + 1)
    const other = await launchOn('TWO')
    t.equal(other.blockNumber, launch.blockNumber)
    const synced = sync(other.transactionHash, ann, 'create')
    if (isFinal) await t.rejects(synced, { message: /taken as final/ }, 'the last final block')
    else await t.resolves(synced, 'the block above it')
    t.match(await db.selectFrom('tokens').select('symbol').execute(), [{ symbol: isFinal ? 'ONE' : 'TWO' }])
  }
})

t.test('a sync keeps the stored price if the node no longer has it', async (t) => {
  const { node, act, sync, ann, db, test, chain } = await startStopped(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  for (let left = 20; left > 0; left--) await node.mine()
  await indexToHead(db, test)
  const before = await readTables(db)
  t.teardown(() => Object.assign(chain, { getFeedAnswer: Object.getPrototypeOf(chain).getFeedAnswer }))
  Object.assign(chain, { getFeedAnswer: async () => null })
  await sync(launch!.transactionHash, ann, 'create')
  t.strictSame(diffTables(await readTables(db), before), [])
})

t.test('a sync uses the last known price if the node has none for the block', async (t) => {
  const { node, act, sync, ann, bob, db, test, chain, expectFresh } = await startStopped(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  await indexToHead(db, test)
  const [buy] = await node.run(act.buy(bob, launchedToken(launch!), parseEther('0.2')))
  Object.assign(chain, { getFeedAnswer: async () => null })
  await sync(buy!.transactionHash, bob, 'buy')
  Object.assign(chain, { getFeedAnswer: Object.getPrototypeOf(chain).getFeedAnswer })
  const trades = await db.selectFrom('readable_trades').select(['price_usd', 'value_usd']).execute()
  t.equal(trades.length, 2)
  t.ok(trades.every(({ price_usd, value_usd }) => price_usd !== null && value_usd !== null))
  await expectFresh('and the indexer finds the same')
})

t.test('receipts synced in any order before the indexer leave the same tables as the indexer alone', async (t) => {
  const { node, act, test, sync, db, expectFresh, ann, bob } = await startStopped(t)
  const { graduated, open } = await playMarket(test)
  await node.run(
    act.swapBuy(ann, graduated, parseEther('0.1')),
    act.buy(bob, open, parseEther('0.2')),
    act.swapBuy(bob, graduated, 7n),
  )
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  const { rows } = await sql<{ tx_hash: Hex; trader: Address; side: 'buy' | 'sell' }>`
    select tx_hash, trader, side from readable_trades group by tx_hash, trader, side order by md5(tx_hash || trader || side)`.execute(
    fresh.db,
  )
  t.ok(rows.length > 12)
  for (const { tx_hash, trader, side } of rows) await sync(tx_hash, trader, side)
  t.equal(
    (await db.selectFrom('readable_trades').select('log_index').execute()).length,
    (await fresh.db.selectFrom('readable_trades').select('log_index').execute()).length,
    'all trades are there before the indexer has begun',
  )
  await expectFresh('and after it')
})
