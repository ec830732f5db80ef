import t, { type Test } from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import { audit } from '../../audit/audit.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { reindex } from '../../indexer/engine/reindex.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

/* Whether a symbol was taken before depends on the order on the chain, and not on that of arrival. */
t.setTimeout(400_000)

async function start(t: Test) {
  const test = await startChain(t, { env: { FINALITY: '20' } })
  const { db } = await createTestDatabase(t)
  await prepareChainState(db, test.chain, test.contracts, test.config)
  const [, ann, bob] = test.accounts as [Address, Address, Address]
  const sync = (txHash: Hex, wallet: Address) =>
    syncTransaction(
      { db, chain: test.chain, getContracts: async () => test.contracts },
      { txHash, wallet, kind: 'create' },
    )
  const readTaken = async () => {
    const rows = await db.selectFrom('tokens').select(['address', 'symbol_taken_before']).execute()
    return new Map(rows.map((row) => [row.address, row.symbol_taken_before]))
  }
  const expectFresh = async (what: string) => {
    await indexToHead(db, test)
    const fresh = await createTestDatabase(t)
    await indexToHead(fresh.db, test)
    t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [], what)
    const lines: string[] = []
    await audit({ ...test, db, onDifference: (line) => lines.push(line) })
    t.strictSame(lines, [], `${what}: audit`)
  }
  return { ...test, test, db, act: makeActions(test.deployed), ann, bob, sync, readTaken, expectFresh }
}

t.test('a later launch is synced by its receipt before the older one is indexed', async (t) => {
  const { node, act, ann, bob, db, sync, readTaken, expectFresh } = await start(t)
  const [first] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const [second] = await node.run(act.launch(bob, 'one', parseEther('0.1')))
  const [older, later] = [launchedToken(first!), launchedToken(second!)]
  await sync(second!.transactionHash, bob)
  t.strictSame(await readTaken(), new Map([[later, false]]), 'the older one is not known yet')
  await expectFresh('when the indexer has caught up')
  const expected = new Map([
    [older, false],
    [later, true],
  ])
  t.strictSame(await readTaken(), expected)
  await reindex(db)
  t.strictSame(await readTaken(), expected, 'after a rebuild')
})

t.test('a reorg removes the older launch', async (t) => {
  const { node, act, ann, bob, test, db, readTaken, expectFresh } = await start(t)
  for (let left = 3; left > 0; left--) await node.mine()
  await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const [second] = await node.run(act.launch(bob, 'one', parseEther('0.1')))
  await node.mine()
  await indexToHead(db, test)
  t.equal((await readTaken()).get(launchedToken(second!)), true)
  await node.reorg(3, [{ action: act.launch(bob, 'one', parseEther('0.1')), block: 1 }])
  await expectFresh('the other branch')
  t.strictSame([...(await readTaken()).values()], [false], 'the launch that is left has the symbol first')
})
