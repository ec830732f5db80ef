import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { startAudited } from '../fixtures/audited.ts'

/* Whether a symbol was taken before depends on the order on the chain, and not on that of arrival. */
t.setTimeout(400_000)

async function start(t: Test) {
  const audited = await startAudited(t, { env: { FINALITY: '20' } })
  const { accounts, db, deployed } = audited
  const [, ann, bob] = accounts as [Address, Address, Address]
  const readTaken = async () => {
    const rows = await db.selectFrom('tokens').select(['address', 'symbol_taken_before']).execute()
    return new Map(rows.map((row) => [row.address, row.symbol_taken_before]))
  }
  return { ...audited, act: makeActions(deployed), ann, bob, readTaken }
}

t.test('a launch that is synced first has a taken symbol once an older one with it is indexed', async (t) => {
  const { node, act, ann, bob, db, sync, readTaken, expectFresh } = await start(t)
  const [first] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const [second] = await node.run(act.launch(bob, 'O\u3164NE', parseEther('0.1')))
  const [older, later] = [launchedToken(first!), launchedToken(second!)]
  await sync(second!.transactionHash, bob, 'create')
  t.strictSame(await readTaken(), new Map([[later, false]]), 'the older one is not known yet')
  await expectFresh('when the indexer has caught up')
  const expected = new Map([
    [older, false],
    [later, true],
  ])
  t.strictSame(await readTaken(), expected)
  await reindex(db, modules)
  t.strictSame(await readTaken(), expected, 'after a rebuild')
})

t.test('a reorg that removes the older launch frees its symbol for the later one', async (t) => {
  const { node, act, ann, bob, index, readTaken, expectFresh } = await start(t)
  for (let left = 3; left > 0; left--) await node.mine()
  await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const [second] = await node.run(act.launch(bob, 'O\u3164NE', parseEther('0.1')))
  await node.mine()
  await index()
  t.equal((await readTaken()).get(launchedToken(second!)), true)
  await node.reorg(3, [{ action: act.launch(bob, 'O\u3164NE', parseEther('0.1')), block: 1 }])
  await expectFresh('the other branch')
  t.strictSame([...(await readTaken()).values()], [false], 'the launch that is left has the symbol first')
})
