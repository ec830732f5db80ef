import { type Kysely, sql } from 'kysely'
import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { up } from '../../../db/migrations/0026-snipers.ts'
import { up as addBundlers } from '../../../db/migrations/0034-bundlers.ts'
import { prepareChainState } from '../../../indexer/engine/contracts.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { RULES } from '../../../indexer/rules.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { startAudited } from '../fixtures/audited.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

/* Blocks are five seconds apart, and so is SNIPER_SECONDS: who buys in the block after that of the first trade is a sniper. */
t.setTimeout(400_000)

async function start(t: Test) {
  const audited = await startAudited(t, { env: { FINALITY: '20' } })
  const { accounts, db, deployed } = audited
  const [, ann, sam, lea, tim] = accounts as [Address, Address, Address, Address, Address]
  const nameOf = new Map(Object.entries({ ann, sam, lea, tim }).map(([name, wallet]) => [wallet, name]))
  return {
    ...{ ...audited, act: makeActions(deployed), ann, sam, lea, tim },
    /** The snipers by name. */
    readSnipers: async () => {
      const rows = await db.selectFrom('readable_snipers').selectAll().execute()
      return rows.map(({ wallet }) => nameOf.get(wallet as Address)).sort()
    },
    readFigures: () =>
      db.selectFrom('token_figures').select(['first_trade_at', 'sniper_balance']).executeTakeFirstOrThrow(),
    balanceOf: async (wallet: Address) => {
      const row = await db
        .selectFrom('readable_balances')
        .select('balance')
        .where('wallet', '=', wallet)
        .executeTakeFirst()
      return BigInt(row?.balance ?? 0)
    },
  }
}

t.test('tokens that snipers hold are those of the wallets that bought in the first seconds, at present', async (t) => {
  const { node, act, ann, sam, lea, tim, index, expectFresh, readSnipers, readFigures, balanceOf, expectReports } =
    await start(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  await node.run(act.buy(sam, token, parseEther('0.1')))
  await node.run(act.buy(lea, token, parseEther('0.1')))
  await index()
  t.strictSame(
    await readSnipers(),
    ['sam'],
    'not the creator, whose purchase was the first trade, nor who bought after ten seconds',
  )
  const bought = await balanceOf(sam)
  t.equal((await readFigures()).sniper_balance, String(bought))
  await node.run(act.sell(sam, token, bought / 2n))
  await node.run(act.buy(sam, token, parseEther('0.3')))
  await node.run(act.transfer(sam, token, tim, 5n))
  await expectFresh('after more trades')
  t.equal(
    (await readFigures()).sniper_balance,
    String(await balanceOf(sam)),
    'all that it holds, whenever it was bought',
  )
  t.strictSame(await readSnipers(), ['sam'], 'a recipient is none')
  await expectReports(t, [
    ['update token_figures set sniper_balance = sniper_balance + 1', /sniper_balance: stored/],
    ['update token_figures set first_trade_at = first_trade_at - 1', /first_trade_at: stored/],
    ['delete from snipers', /sniper 0x\w+\/0x\w+: missing/],
    [
      'insert into snipers select token_id, wallet from balances where wallet <> all(array(select wallet from snipers))',
      /sniper .* stored, but should not be/,
    ],
  ])
})

t.test('an earlier trade that is indexed later moves the first seconds', async (t) => {
  const { node, act, ann, sam, lea, sync, expectFresh, readSnipers } = await start(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', 0n))
  const token = launchedToken(launch!)
  await node.run(act.buy(sam, token, parseEther('0.1')))
  await node.mine()
  const [later] = await node.run(act.buy(lea, token, parseEther('0.1')))
  await sync(later!.transactionHash, lea, 'buy')
  t.strictSame(await readSnipers(), ['lea'], 'the only trade')
  await expectFresh('when the indexer has caught up')
  t.strictSame(await readSnipers(), ['sam'])
})

t.test('a reorg that removes the first trades for good moves the first seconds', async (t) => {
  const { node, act, ann, sam, lea, tim, index, db, expectFresh, readSnipers, readFigures } = await start(t)
  const [launch] = await node.run(act.launch(ann, 'ONE', 0n))
  const token = launchedToken(launch!)
  await node.run(act.buy(sam, token, parseEther('0.1')))
  await node.mine()
  await node.run(act.buy(lea, token, parseEther('0.1')))
  await index()
  t.strictSame(await readSnipers(), ['sam'])
  await node.reorg(3, [{ action: act.buy(lea, token, parseEther('0.1')), block: 2 }])
  await node.run(act.buy(tim, token, parseEther('0.1')))
  await expectFresh('without the first purchase')
  t.strictSame(await readSnipers(), ['lea', 'tim'])
  await node.reorg(4, [])
  await expectFresh('without any trade')
  t.strictSame([await readSnipers(), (await readFigures()).first_trade_at], [[], null])
  await node.reorg(6, [])
  await expectFresh('without the launch')
  t.strictSame([await readSnipers(), await db.selectFrom('tokens').select('id').execute()], [[], []])
})

t.test('the snipers of earlier launches are found by the migration', async (t) => {
  const { node, act, ann, sam, lea, index, db } = await start(t)
  const [launch, other] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')), act.launch(ann, 'TWO', 0n))
  await node.run(
    act.buy(sam, launchedToken(launch!), parseEther('0.1')),
    act.buy(lea, launchedToken(other!), parseEther('0.1')),
  )
  await node.run(act.buy(lea, launchedToken(launch!), parseEther('0.1')))
  await index()
  const before = await readTables(db)
  t.equal(before.get('readable_snipers')?.size, 2)
  await sql`drop view readable_token_figures, readable_snipers, readable_bundlers`.execute(db)
  await sql`drop table snipers, bundlers`.execute(db)
  await sql`alter table token_figures drop column first_trade_at, drop column sniper_balance, drop column bundler_balance`.execute(
    db,
  )
  await sql`alter table chain_state drop column sniper_seconds`.execute(db)
  for (const migrate of [up, addBundlers]) await migrate(db as unknown as Kysely<unknown>)
  // Until the tables are rebuilt, the figure of the later migration is null.
  await sql`update token_figures set bundler_balance = 0 where bundler_balance is null`.execute(db)
  t.strictSame(diffTables(await readTables(db), before), [])
})

t.test('with another SNIPER_SECONDS all launches are judged again', async (t) => {
  const { node, act, ann, sam, lea, db, chain, contracts, config, index, readSnipers } = await start(t)
  const prepare = async (sniperSeconds: number) => {
    await prepareChainState(db, chain, contracts, { ...config, sniperSeconds })
    const { rules } = await db.selectFrom('chain_state').select('rules').executeTakeFirstOrThrow()
    return rules
  }
  t.equal(await prepare(60), RULES, 'there is nothing to rebuild yet')
  t.equal(await prepare(5), RULES)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  await node.run(act.buy(sam, launchedToken(launch!), parseEther('0.1')))
  await node.run(act.buy(lea, launchedToken(launch!), parseEther('0.1')))
  await index()
  t.equal(await prepare(5), RULES, 'the same')
  t.equal(await prepare(10), 0, 'the next start rebuilds')
  await reindex(db, modules)
  t.strictSame(await readSnipers(), ['lea', 'sam'])
  t.equal(await prepare(0), 0)
  await reindex(db, modules)
  t.strictSame(await readSnipers(), [])
})
