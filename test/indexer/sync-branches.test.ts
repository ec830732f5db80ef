import t, { type Test } from 'tap'
import { type Address, type Hex, keccak256, parseEther } from 'viem'
import { audit } from '../../audit/audit.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { deployBatch, launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { on, result, startHostileNode } from '../support/hostile/node.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { createSigner } from './fixtures/sign-action.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

/** A chain, a database, and a node before the chain's own at which calls can be followed by something else. */
async function start(t: Test) {
  const test = await startChain(t)
  const { db } = await createTestDatabase(t)
  await prepareChainState(db, test.chain, test.contracts, test.config)
  const proxy = await startHostileNode(t, test.anvil.url)
  const chain = new Chain([proxy.url], { retries: 0 })
  const services = { db, chain, getContracts: async () => test.contracts }
  const sync = (txHash: Hex, wallet: Address, kind: string) =>
    syncTransaction(services, { txHash, wallet, kind }).then(
      () => 'ok',
      (error: { reason?: string }) => error.reason ?? String(error),
    )
  const [, ann, bob] = test.accounts as [Address, Address, Address]
  return { ...test, test, db, proxy, sync, act: makeActions(test.deployed), ann, bob }
}

t.test('a sync that straddles a reorg is rejected as pending, and succeeds afterwards', async (t) => {
  const { node, anvil, db, test, proxy, sync, act, ann, bob } = await start(t)
  const [signAnn, signBob] = [createSigner(anvil.url, 1), createSigner(anvil.url, 2)]
  const launch = await signAnn(act.launch(ann, 'ONE'))
  await node.call('eth_sendRawTransaction', launch)
  await node.mine()
  const [created] = await node.receipts([keccak256(launch)])
  const buy = await signBob(act.buy(bob, launchedToken(created!), parseEther('0.2')))
  await node.call('eth_sendRawTransaction', buy)
  for (let left = 3; left > 0; left--) await node.mine()
  await indexToHead(db, test)

  // Both branches hold both; on the second one the launch is mined above where the first one has the buy.
  let branch = 0
  const switchTo = async (wanted: 0 | 1) => {
    if (branch === wanted) return
    branch = wanted
    await node.call('anvil_reorg', 4, [
      [launch, wanted * 2],
      [buy, wanted * 2 + 1],
    ])
    await indexToHead(db, test)
  }
  // The receipt is of the first branch, and so are the blocks; when they have been read the chain is on the second one.
  const asked: Promise<unknown>[] = []
  let switches = 0
  proxy.follow(async (call, ask) => {
    if (call.method === 'eth_getTransactionReceipt') await switchTo(0)
    if (call.method !== 'eth_getBlockByNumber' || branch === 1) return undefined
    const answer = ask(call)
    asked.push(answer)
    await Promise.all(asked)
    if (branch === 0) switches += 1
    await switchTo(1)
    return answer
  })
  const txHash = keccak256(buy)
  t.equal(await sync(txHash, bob, 'buy'), 'TRANSACTION_PENDING')
  t.ok(switches > 0)
  t.strictSame(await db.selectFrom('claims').selectAll().execute(), [])
  proxy.follow()
  t.equal(await sync(txHash, bob, 'buy'), 'ok', 'on the branch that stays')
})

t.test('a transaction that reverts only on the old branch can be synced on the new one', async (t) => {
  const { node, anvil, proxy, sync, act, ann, bob } = await start(t)
  const [signAnn, signBob] = [createSigner(anvil.url, 1), createSigner(anvil.url, 2)]
  const launch = await signAnn(act.launch(ann, 'ONE'))
  const snapshot = await node.call('evm_snapshot')
  await node.call('eth_sendRawTransaction', launch)
  await node.mine()
  const [created] = await node.receipts([keccak256(launch)])
  const buy = await signBob(act.buy(bob, launchedToken(created!), parseEther('0.2')))
  await node.call('evm_revert', snapshot)
  // Before the launch there is nothing to buy.
  await node.call('eth_sendRawTransaction', buy)
  await node.mine()
  await node.mine()
  const txHash = keccak256(buy)
  t.equal(await sync(txHash, bob, 'buy'), 'TRANSACTION_REVERTED')
  let isDone = false
  proxy.follow(async (call, ask) => {
    if (call.method !== 'eth_getTransactionReceipt' || isDone) return undefined
    const answer = await ask(call)
    isDone = true
    await node.call('anvil_reorg', 2, [
      [launch, 0],
      [buy, 1],
    ])
    return answer
  })
  t.equal(await sync(txHash, bob, 'buy'), 'TRANSACTION_PENDING')
  t.ok(isDone)
  t.equal(await sync(txHash, bob, 'buy'), 'ok')
})

async function readWritten(db: Awaited<ReturnType<typeof start>>['db']) {
  const [trades, claims, blocks] = await Promise.all([
    db.selectFrom('readable_trades').select(['tx_hash', 'log_index']).execute(),
    db.selectFrom('claims').selectAll().execute(),
    db.selectFrom('blocks').select(['number', 'hash']).orderBy('number').execute(),
  ])
  return { trades, claims, blocks }
}

t.test('syncs are rejected and write nothing while a reorg below finality halts the indexer', async (t) => {
  const { node, db, test, sync, act, ann, bob } = await start(t)
  const config = { ...test.config, finality: { unit: 'blocks' as const, amount: 2 } }
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  for (let left = 6; left > 0; left--) await node.mine()
  await indexToHead(db, { ...test, config })
  await node.reorg(5)
  await t.rejects(indexToHead(db, { ...test, config }), /taken as final/)
  const [buy] = await node.run(act.buy(bob, token, parseEther('0.2')))
  const before = await readWritten(db)
  for (const [hash, wallet, kind] of [
    [buy!.transactionHash, bob, 'buy'],
    [launch!.transactionHash, ann, 'create'],
  ] as const)
    t.equal(await sync(hash, wallet, kind), 'FINALITY_BROKEN')
  t.strictSame(await readWritten(db), before)
})

t.test('a sync on a branch that forks below the final block is rejected before the indexer sees it', async (t) => {
  const { node, db, test, sync, act, ann, bob } = await start(t)
  const config = { ...test.config, finality: { unit: 'blocks' as const, amount: 2 } }
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  for (let left = 6; left > 0; left--) await node.mine()
  await indexToHead(db, { ...test, config })
  // Of the blocks that are replaced only the newest are stored: the others were final and empty.
  await node.reorg(5, [{ action: act.buy(bob, token, parseEther('0.2')), block: 0 }])
  const { transactions } = await node.call<{ transactions: Hex[] }>(
    'eth_getBlockByNumber',
    `0x${(Number(launch!.blockNumber) + 2).toString(16)}`,
    false,
  )
  const [above] = await node.run(act.buy(ann, token, parseEther('0.1')))
  const before = await readWritten(db)
  t.equal(await sync(transactions[0]!, bob, 'buy'), 'FINALITY_BROKEN', 'at a height that was final')
  t.equal(await sync(above!.transactionHash, ann, 'buy'), 'FINALITY_BROKEN', 'above it')
  t.strictSame(await readWritten(db), before)
})

t.test('syncs work while the indexer is stopped or behind', async (t) => {
  const { node, db, test, sync, act, ann, bob } = await start(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  await node.mine()
  const { chain, contracts } = test
  await new Follower({ db, chain, contracts, finality: { unit: 'blocks', amount: 0 } }).step()
  for (let left = 20; left > 0; left--) await node.mine()
  const [buy] = await node.run(act.buy(bob, launchedToken(launch!), parseEther('0.2')))
  t.equal(await sync(buy!.transactionHash, bob, 'buy'), 'ok')
  t.equal(await sync(launch!.transactionHash, ann, 'create'), 'ok')
})

t.test('a trade whose launch the node omits during a sync is indexed later', async (t) => {
  const { node, db, test, proxy, sync, act, ann, bob } = await start(t)
  const { wallets, bundle } = await deployBatch(node, [ann, bob])
  const [first, second] = wallets as [Address, Address]
  const [one] = await node.run(act.launch(ann, 'ONE'))
  await indexToHead(db, test)
  const [two] = await node.run(act.launch(ann, 'TWO'))
  const [known, hidden] = [launchedToken(one!), launchedToken(two!)]
  const [both] = await node.run(
    bundle(bob, [act.buy(first, known, parseEther('0.2')), act.buy(second, hidden, parseEther('0.3'))]),
  )
  // As a node answers that does not have the block of the launch yet.
  let asked = 0
  proxy.follow(
    on('eth_getLogs', ({ params: [filter] }) => {
      if (!(filter as { topics: unknown[] }).topics[1]) return undefined
      asked += 1
      return result([])
    }),
  )
  t.equal(await sync(both!.transactionHash, second, 'buy'), 'TRANSACTION_PENDING', 'no trade of their own is known yet')
  t.equal(await sync(both!.transactionHash, first, 'buy'), 'ok')
  t.ok(asked > 0, 'the launch was asked for')
  await indexToHead(db, test)
  const differences: string[] = []
  await audit({ ...test, db, onDifference: (line) => differences.push(line) })
  t.strictSame(differences, [])
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [])
  t.equal(await sync(both!.transactionHash, second, 'buy'), 'ok')
})

t.test('a swap whose graduation the node omits is pending until the indexer has reached it', async (t) => {
  const { node, db, test, proxy, sync, act, ann, bob } = await start(t)
  const [launch] = await node.run(act.launch(ann, 'ONE'))
  const token = launchedToken(launch!)
  await node.run(act.buy(bob, token, parseEther('100')), act.graduate(bob, token))
  const [swap] = await node.run(act.swapBuy(ann, token, parseEther('0.2')))
  proxy.follow(
    on('eth_getLogs', ({ params: [filter] }) => ((filter as { topics: unknown[] }).topics[1] ? result([]) : undefined)),
  )
  for (const wallet of [ann, bob]) {
    t.equal(await sync(swap!.transactionHash, wallet, 'buy'), 'TRANSACTION_PENDING')
    t.equal(await sync(swap!.transactionHash, wallet, 'sell'), 'TRANSACTION_PENDING')
  }
  await indexToHead(db, test)
  t.equal(await sync(swap!.transactionHash, ann, 'sell'), 'EVENT_MISSING')
  t.equal(await sync(swap!.transactionHash, bob, 'buy'), 'TRANSACTION_FOREIGN')
  t.equal(await sync(swap!.transactionHash, ann, 'buy'), 'ok')
})
