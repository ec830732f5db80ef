import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { type Address, type Hex, numberToHex, parseEther } from 'viem'
import { predictToken } from '../../../chain/token-address.ts'
import { toBytes } from '../../../db/hex.ts'
import { prepareChainState } from '../../../indexer/engine/contracts.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { RULES } from '../../../indexer/rules.ts'
import { deployBatch, launchedToken, makeActions } from '../../support/actors.ts'
import { startAudited } from '../fixtures/audited.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

/* Blocks are five seconds apart. The first two wallets of a batch are `one` and `two`. */
t.setTimeout(400_000)

async function start(t: Test) {
  const audited = await startAudited(t, { env: { FINALITY: '40' } })
  const { accounts, db, deployed, node } = audited
  const [, ann, sam, lea, tim, eve] = accounts as [Address, Address, Address, Address, Address, Address]
  const { wallets, bundle, batcher } = await deployBatch(node, [ann, sam])
  const [one, two] = wallets as [Address, Address]
  const nameOf = new Map(Object.entries({ ann, sam, lea, tim, eve, one, two }).map(([name, wallet]) => [wallet, name]))
  const act = makeActions(deployed)
  return {
    ...{ ...audited, act, ann, sam, lea, tim, eve, one, two, batcher, bundle },
    /** Both buy in one transaction. */
    buyTogether: (token: Address) =>
      bundle(eve, [act.buy(one, token, parseEther('0.05')), act.buy(two, token, parseEther('0.05'))]),
    launchOn: async () => {
      const [launch] = await node.run(act.launch(ann, 'ONE', 0n))
      return launchedToken(launch!)
    },
    /** The bundlers by name. */
    readBundlers: async () => {
      const rows = await db.selectFrom('readable_bundlers').selectAll().execute()
      return rows.map(({ wallet }) => nameOf.get(wallet as Address) ?? wallet).sort()
    },
    readHeld: async () => {
      const { bundler_balance: held } = await db
        .selectFrom('token_figures')
        .select('bundler_balance')
        .executeTakeFirstOrThrow()
      return held
    },
    balanceOf: async (...of: Address[]) => {
      const rows = await db.selectFrom('readable_balances').selectAll().where('wallet', 'in', of).execute()
      return String(rows.reduce((sum, { balance }) => sum + BigInt(balance), 0n))
    },
  }
}

t.test('tokens that bundlers hold are those of the wallets that bought in one transaction, at present', async (t) => {
  const { node, act, ann, sam, tim, one, two, index, buyTogether, launchOn, ...rest } = await start(t)
  const { bundle, batcher, eve, expectFresh, expectReports, readBundlers, readHeld, balanceOf, db } = rest
  const token = await launchOn()
  await node.run(act.buy(ann, token, parseEther('0.1')))
  await node.mine(20)
  await node.run(buyTogether(token))
  await index()
  t.strictSame(await readBundlers(), ['one', 'two'])
  const bought = await balanceOf(one, two)
  t.ok(BigInt(bought) > 0n)
  t.equal(await readHeld(), bought)
  await node.run(bundle(eve, [act.transfer(one, token, tim, 5n), act.buy(two, token, parseEther('0.3'))]))
  await node.run(act.buy(sam, token, parseEther('0.1')))
  await node.mine(61)
  await node.run(bundle(eve, [act.buy(one, token, 1_000n), act.buy(batcher, token, 1_000n, sam)]))
  await expectFresh('after more trades')
  t.equal(await readHeld(), await balanceOf(one, two), 'all that they hold, whenever it was bought')
  t.strictSame(await readBundlers(), ['one', 'two'], 'not the recipient of a transfer, nor who bought later')
  await expectReports(t, [
    ['update token_figures set bundler_balance = bundler_balance + 1', /bundler_balance: stored/],
    ['update token_figures set bundler_balance = null', /bundler_balance: stored/],
    ['delete from bundlers', /bundler 0x\w+\/0x\w+: missing/],
    [
      'insert into bundlers select token_id, wallet from balances where wallet <> all(array(select wallet from bundlers))',
      /bundler .* stored, but should not be/,
    ],
  ])
  const before = await readTables(db)
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), before), [])
})

t.test(
  'launches that a process without bundlers has stored get theirs at the start, or with the next batch',
  async (t) => {
    const { node, act, ann, sam, buyTogether, launchOn, ...rest } = await start(t)
    const { chain, config, contracts, db, index, expectFresh, readBundlers, readHeld, balanceOf, one, two } = rest
    const token = await launchOn()
    await node.run(act.buy(ann, token, parseEther('0.1')))
    await node.run(buyTogether(token))
    await index()
    const before = await readTables(db)
    const held = await balanceOf(one, two)
    const forget = async () => {
      await sql`delete from bundlers`.execute(db)
      await sql`update token_figures set bundler_balance = null`.execute(db)
    }
    await forget()
    await db.updateTable('chain_state').set({ rules: 3 }).execute()
    await prepareChainState(db, chain, contracts, config)
    t.strictSame([await readBundlers(), await readHeld()], [[], null], 'a rebuild finds them')
    await db.updateTable('chain_state').set({ rules: RULES }).execute()
    await prepareChainState(db, chain, contracts, config)
    t.strictSame(diffTables(await readTables(db), before), [])
    t.strictSame([await readBundlers(), await readHeld()], [['one', 'two'], held])

    await forget()
    await node.mine(61)
    await node.run(act.buy(sam, token, parseEther('0.1')))
    await expectFresh('after a trade that is too late for a bundle')
    t.strictSame(await readBundlers(), ['one', 'two'])
  },
)

t.test('four buyers in the block of the launch are bundlers, in whatever order they are indexed', async (t) => {
  const { node, act, deployed, ann, sam, lea, tim, eve, sync, expectFresh, readBundlers } = await start(t)
  const salt = numberToHex(1_000_001, { size: 32 }) as Hex
  const token = predictToken(deployed.launchpad, ann, salt)
  const buyers = [sam, lea, tim, eve]
  const [, ...buys] = await node.run(
    act.launch(ann, 'FOUR', 0n, 'Four', { salt }),
    ...buyers.map((wallet) => act.buy(wallet, token, parseEther('0.05'))),
  )
  const found: string[][] = []
  for (const at of [3, 1, 0]) {
    await sync(buys[at]!.transactionHash, buyers[at]!, 'buy')
    found.push(await readBundlers())
  }
  t.strictSame(found, [[], [], []], 'three are none')
  await expectFresh('when the indexer has caught up')
  t.strictSame(await readBundlers(), ['eve', 'lea', 'sam', 'tim'])
  await node.reorg(1, [])
  await expectFresh('without the launch')
  t.strictSame(await readBundlers(), [])
})

t.test('an earlier trade that is indexed later moves the first minute', async (t) => {
  const { node, act, sam, one, sync, launchOn, buyTogether, expectFresh, readBundlers } = await start(t)
  const token = await launchOn()
  await node.run(act.buy(sam, token, parseEther('0.1')))
  await node.mine(61)
  const [later] = await node.run(buyTogether(token))
  await sync(later!.transactionHash, one, 'buy')
  t.strictSame(await readBundlers(), ['one', 'two'], 'the only trades')
  await expectFresh('when the indexer has caught up')
  t.strictSame(await readBundlers(), [])
})

t.test('trades that are indexed later can move a bundle out of the first 500', async (t) => {
  const { node, act, sam, lea, one, two, bundle, batcher, sync, launchOn, expectFresh, readBundlers } = await start(t)
  const token = await launchOn()
  const buys = (count: number) => Array.from({ length: count }, () => act.buy(batcher, token, 1_000_000n, sam))
  const [first] = await node.run(act.buy(lea, token, 1_000_000n))
  for (const count of [200, 200, 98]) await node.run(bundle(lea, buys(count)))
  const [last] = await node.run(bundle(lea, [act.buy(one, token, 1_000n), act.buy(two, token, 1_000n)]))
  await sync(first!.transactionHash, lea, 'buy')
  await sync(last!.transactionHash, one, 'buy')
  t.strictSame(await readBundlers(), ['one', 'two'])
  await expectFresh('when the indexer has caught up')
  t.strictSame(await readBundlers(), [], 'one is the buyer of trade 500, two that of 501')
})

t.test('a reorg takes a bundle with it, and moves the first minute', async (t) => {
  const { node, act, sam, index, launchOn, buyTogether, expectFresh, readBundlers, readHeld } = await start(t)
  const token = await launchOn()
  await node.run(act.buy(sam, token, parseEther('0.1')))
  await node.run(buyTogether(token))
  await index()
  t.strictSame(await readBundlers(), ['one', 'two'])
  await node.reorg(1, [])
  await node.run(act.buy(sam, token, parseEther('0.1')))
  await expectFresh('without the bundle')
  t.strictSame([await readBundlers(), await readHeld()], [[], '0'])
  await node.mine(61)
  await node.run(buyTogether(token))
  await expectFresh('with a late bundle')
  t.strictSame(await readBundlers(), [])
  await node.reorg(5, [{ action: buyTogether(token), block: 4 }])
  await expectFresh('without the first purchases')
  t.strictSame(await readBundlers(), ['one', 'two'])
})

t.test('who bought for the later pool alone is no bundler from the graduation on', async (t) => {
  const { node, act, tim, one, index, db, launchOn, buyTogether, readBundlers } = await start(t)
  const token = await launchOn()
  await node.run(buyTogether(token))
  // It graduates at once.
  const complete = { ...act.buy(tim, token, parseEther('100')), gas: 10_000_000n }
  await node.run(complete)
  await index()
  const { pool } = await db.selectFrom('token_figures').select('pool').executeTakeFirstOrThrow()
  await node.reorg(1, [])
  await index()
  t.strictSame(await readBundlers(), ['one', 'two'])
  // Our contracts let nobody send tokens to a pool before the graduation. Those of other launchpads may.
  await sql`update trades set recipient = ${toBytes(pool!)} where trader = ${toBytes(one)}`.execute(db)
  await node.run(complete)
  await index()
  t.strictSame(await readBundlers(), [], 'a pool is no buyer')
  await node.reorg(1, [])
  await index()
  t.strictSame(await readBundlers(), [pool, 'two'])
  // As if the first trade was archived: who bought then is unknown.
  await sql`delete from trades where trader = ${toBytes(one)}`.execute(db)
  await sql`update token_figures set first_trade_at = first_trade_at - 1`.execute(db)
  await node.run(complete)
  await index()
  t.strictSame(await readBundlers(), [pool, 'two'])
})
