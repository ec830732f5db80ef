import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { audit } from '../../audit/audit.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { tokenId } from '../../db/token-ids.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { ChainMovedError } from '../../indexer/engine/errors.ts'
import { findFork } from '../../indexer/engine/find-fork.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { type Action, GENESIS_TIME, Node, type Receipt, startChain, type TestChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { on, startHostileNode } from '../support/hostile/node.ts'
import { readTokenId } from '../support/readable-rows.ts'
import { startAudited } from './fixtures/audited.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { playRaises } from './fixtures/raises.ts'
import { playStaking } from './fixtures/staking.ts'
import { diffTables, readTables, type Tables } from './fixtures/tables.ts'

// Each test has a chain and two databases of its own.
t.setTimeout(400_000)

/** A token with two trades, indexed, on a chain with a little below it that is final. */
async function startMarket(t: Test, finality = 8) {
  const audited = await startAudited(t, { env: { FINALITY: String(finality) } })
  const { node, deployed, accounts, db, index } = audited
  const [owner, ann, bob] = accounts as [Address, Address, Address]
  const act = makeActions(deployed)
  for (let left = finality; left > 0; left--) await node.mine()
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  await node.run(act.buy(bob, token, parseEther('0.5')))
  await node.mine()
  await index()
  const countTrades = async () => (await db.selectFrom('readable_trades').select('log_index').execute()).length
  return { ...audited, act, token, owner, ann, bob, countTrades }
}

t.test('a reorg to a branch of the same height replaces the old branch', async (t) => {
  const { node, act, bob, token, expectFresh, countTrades, db } = await startMarket(t)
  t.equal(await countTrades(), 2)
  await node.reorg(3, [{ action: act.buy(bob, token, 7n), block: 1 }])
  await expectFresh('the new branch')
  t.equal(await countTrades(), 0, 'the launch went with the old branch, and with it the buy in the new one failed')
  t.equal((await db.selectFrom('tokens').selectAll().execute()).length, 0)
  t.equal((await db.selectFrom('balances').selectAll().execute()).length, 0)
  t.equal((await db.selectFrom('readable_token_figures').selectAll().execute()).length, 0)
})

t.test('a trade that a reorg moves to another block counts once', async (t) => {
  const { node, act, bob, token, expectFresh, countTrades } = await startMarket(t)
  await node.reorg(2, [{ action: act.buy(bob, token, parseEther('0.5')), block: 1 }])
  await expectFresh('the moved trade')
  t.equal(await countTrades(), 2)
})

t.test('a node that is behind removes nothing, and its other branch is followed once it is longer', async (t) => {
  const { node, act, bob, token, expectFresh, countTrades, test, db } = await startMarket(t)
  const height = await node.height()
  await node.rollback(2)
  await indexToHead(db, test)
  t.equal(await countTrades(), 2, 'a node that is behind takes nothing away')
  await node.run(act.buy(bob, token, 5n))
  for (let left = 3; left > 0; left--) await node.mine()
  t.ok((await node.height()) > height)
  await expectFresh('the longer branch')
  t.equal(await countTrades(), 2)
})

t.test('a reorg of exactly the finality depth is followed', async (t) => {
  const { node, expectFresh, countTrades } = await startMarket(t, 5)
  await node.reorg(5)
  await expectFresh('the new branch')
  t.equal(await countTrades(), 0)
})

t.test('a reorg of the first indexed block is followed while no block is final', async (t) => {
  const test = await startChain(t, { env: { FINALITY: '50' } })
  const { node, deployed, accounts, chain, config } = test
  const [, ann] = accounts as [Address, Address]
  const act = makeActions(deployed)
  const contracts = { ...test.contracts, startBlock: (await node.height()) + 1 }
  const { db } = await createTestDatabase(t)
  await prepareChainState(db, chain, contracts, config)
  const index = () => indexToHead(db, { ...test, contracts })
  const listSymbols = async () => (await db.selectFrom('tokens').select('symbol').execute()).map(({ symbol }) => symbol)
  await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  await index()
  t.strictSame(await listSymbols(), ['ONE'])
  await node.reorg(1, [{ action: act.launch(ann, 'TWO', parseEther('0.1')), block: 0 }])
  await node.mine()
  await index()
  t.strictSame(await listSymbols(), ['TWO'])
  const { halted } = await db.selectFrom('chain_state').select('halted').executeTakeFirstOrThrow()
  t.equal(halted, null)
})

t.test('a node that does not know a block shows no other branch', async (t) => {
  const { db, node, chain } = await startMarket(t)
  const range = { highest: await node.height(), finalized: 0 }
  const withoutBlocks = { getHeader: async () => null, findNeighbours: async () => null } as unknown as typeof chain
  await t.rejects(findFork(db, withoutBlocks, range), ChainMovedError)
  t.equal((await findFork(db, chain, range)).number, range.highest)
})

t.test('after a sync has undone blocks, the time of the checkpoint is that of its block', async (t) => {
  const { node, act, bob, token, db, chain, sync, expectFresh } = await startMarket(t)
  await node.reorg(2)
  const [buy] = await node.run(act.buy(bob, token, 5n))
  await sync(buy!.transactionHash, bob, 'buy')
  const state = await db
    .selectFrom('chain_state')
    .select(['checkpoint_number', 'checkpoint_time', 'checkpoint_hash'])
    .executeTakeFirstOrThrow()
  t.equal(state.checkpoint_number, (await node.height()) - 3)
  const { hash, time } = (await chain.getHeader(state.checkpoint_number))!
  t.strictSame([state.checkpoint_time, state.checkpoint_hash], [time, hash])
  await expectFresh('the new branch')
})

t.test('a reorg below the final block halts the indexer without data loss, until the chain returns', async (t) => {
  const { node, db, test, countTrades, chain, config, contracts } = await startMarket(t, 4)
  const halted = async () => (await db.selectFrom('chain_state').select('halted').executeTakeFirstOrThrow()).halted
  const before = await readTables(db)

  // A copy of the chain stays on its branch while the node goes another way.
  const copy = await startAnvil({ timestamp: GENESIS_TIME })
  t.teardown(() => copy.stop())
  const honest = new Node(copy.url)
  await honest.call('anvil_loadState', await node.call('anvil_dumpState'))
  await node.reorg(6)
  await node.mine()
  const options = { db, contracts, finality: config.finality }
  const astray = new Follower({ ...options, chain })
  await t.rejects(astray.step(), { name: 'DeepReorgError', message: /below block \d+, which was taken as final/ })
  await t.rejects(astray.step(), { name: 'DeepReorgError' }, 'again and again')
  t.match(await halted(), /raise FINALITY/)
  t.equal(await countTrades(), 2)
  await t.rejects(audit({ ...test, db, onDifference: () => {} }), { name: 'NotSettledError', message: /halted/ })

  const follower = new Follower({ ...options, chain: new Chain([copy.url]) })
  t.equal(await follower.step(), 'idle')
  t.equal(await halted(), null, 'even if no block is new')
  t.strictSame(diffTables(await readTables(db), before), [])
  await honest.mine()
  t.equal(await follower.step(), 'again')
  const state = await db.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
  t.match(state, { checkpoint_number: await honest.height(), halted: null })
})

t.test('a node whose head is below the orphaned final block does not end the halt', async (t) => {
  const { node, db, index, chain, config, contracts, token, ann, act } = await startMarket(t, 4)
  const [sale] = await node.run(act.buy(ann, token, parseEther('0.1')))
  for (let left = 5; left > 0; left--) await node.mine()
  await index()
  await node.reorg(5)
  await node.mine()
  const lagging = await startHostileNode(t, node.url)
  lagging.follow(
    on('eth_getBlockByNumber', (call, ask) =>
      call.params[0] === 'latest' ? ask({ ...call, params: [sale!.blockNumber, false] }) : undefined,
    ),
  )
  const options = { db, contracts, finality: config.finality }
  await t.rejects(new Follower({ ...options, chain }).step(), { name: 'DeepReorgError' })
  const halted = async () => (await db.selectFrom('chain_state').select('halted').executeTakeFirstOrThrow()).halted
  const late = new Follower({ ...options, chain: new Chain([lagging.url]) })
  t.equal(await late.step(), 'behind', 'both branches have this block')
  t.match(await halted(), /raise FINALITY/)
})

t.test('a hidden token whose launch is mined again after a reorg stays hidden', async (t) => {
  const { node, db, ann, token, expectFresh, test } = await startMarket(t)
  await db
    .insertInto('token_metadata')
    .values({ token_id: await readTokenId(db, token), hidden: true, updated_by: ann })
    .execute()
  await db.updateTable('token_figures').set({ hidden: true }).where('token_id', '=', tokenId(token)).execute()
  const { tx_hash: launch } = await db.selectFrom('tokens').select('tx_hash').executeTakeFirstOrThrow()
  await node.call('anvil_reorg', 3, [[await node.call('eth_getRawTransactionByHash', launch), 0]])
  await indexToHead(db, test)
  const figures = await db
    .selectFrom('readable_token_figures')
    .selectAll()
    .where('token', '=', token)
    .executeTakeFirstOrThrow()
  t.match(figures, { hidden: true, trades_total: 1 })
  await db.deleteFrom('token_metadata').execute()
  await db.updateTable('token_figures').set({ hidden: false }).execute()
  await expectFresh('the token')
})

/** With so many seconds before each block, a candle of five minutes holds several of one minute. Raises have no time for that. */
const PLAYS = { market: [playMarket, 40], staking: [playStaking, 0], raises: [playRaises, 0] } as const

/** What no event of the undone block says: the chain went on without it. */
const withoutChain = (tables: Tables): Tables => {
  const { chain_state, blocks, ...others } = Object.fromEntries(tables)
  return new Map(Object.entries(others))
}

for (const [name, [play, gapSeconds]] of Object.entries(PLAYS)) {
  t.test(`a reorg undoes each block of the ${name} scenario completely`, async (t) => {
    const { test, node, db, index, findDifferences } = await startAudited(t)
    const read = async () => withoutChain(await readTables(db))
    const run = node.run.bind(node)
    let blocks = 0
    node.run = async (...actions: Action[]): Promise<Receipt[]> => {
      if (gapSeconds > 0) await node.mine(gapSeconds)
      await index()
      const before = await read()
      const [first] = await run(...actions)
      await index()
      blocks += 1
      await node.rollback(1)
      await node.mine()
      await index()
      t.strictSame(diffTables(await read(), before), [], `block ${blocks}, of ${first?.logs.length} logs and more`)
      // The same time again, so that no play is late.
      await node.rollback(1)
      return run(...actions)
    }
    await play({ ...test, node } as TestChain)
    await index()
    t.ok(blocks > 5)
    t.strictSame(await findDifferences(), [], 'the audit finds nothing at the end')
  })
}
