import t, { type Test } from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import { resolveContracts } from '../../indexer/contracts.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { BlockProver } from '../../indexer/engine/prove-blocks.ts'
import { repair } from '../../indexer/engine/repair.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import type { TestChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { type SkippedAnswer, startSkippingNode } from '../support/hostile/skipping-node.ts'
import { auditLines, startAudited } from './fixtures/audited.ts'
import { createFollower } from './fixtures/follower.ts'
import { indexWithoutBackfill } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

// Each test has a chain and several databases of its own.
t.setTimeout(400_000)

/** Every third height, and now and then a run of them that is longer than a small range. */
const isSkipped = (height: number) => height > 0 && (height % 3 === 1 || height % 40 > 30)

async function startSkipping(t: Test, { finality = '4', skips = isSkipped, answer = 'null' as SkippedAnswer } = {}) {
  return startAudited(t, { env: { FINALITY: finality } }, async (test) => {
    const skipping = await startSkippingNode(t, test.anvil.url, skips, answer)
    const chain = new Chain([skipping.url], { retries: 0, timeoutMs: 60_000 })
    const contracts = { ...(await resolveContracts(chain, test.config)), startBlock: 0 }
    return { ...test, chain, contracts, skipping }
  })
}

/** Indexes in small ranges, which end at heights with and without a block. */
async function indexInRanges(db: Db, { chain, config, contracts }: TestChain, range: number): Promise<void> {
  const indexed = await prepareChainState(db, chain, contracts, config)
  const batchSizes = { range, least: 0, most: 40, total: 0, ahead: 40, rangesAhead: 3 }
  const follower = createFollower({ db, chain, contracts: indexed, finality: config.finality, batchSizes })
  while ((await follower.step()) === 'again') {
    // Another step.
  }
}

for (const [finality, answer] of [
  ['4', 'null'],
  ['40s', 'error'],
] as const)
  t.test(`a chain is indexed whose skipped heights are answered by ${answer}, with FINALITY=${finality}`, async (t) => {
    const { node, accounts, deployed, db, test, index, skipping, expectFresh } = await startSkipping(t, {
      finality,
      answer,
    })
    const [, ann, bob] = accounts as [Address, Address, Address]
    const act = makeActions(deployed)
    const { open } = await playMarket(test)
    for (let left = 20; left > 0; left--) await node.run(act.buy(bob, open, parseEther('0.001')))
    await expectFresh('after the backfill')
    const trades = await db.selectFrom('readable_trades').select('block_number').orderBy('block_number').execute()
    t.ok(trades.length > 25)
    t.notOk(trades.some(({ block_number }) => isSkipped(block_number)))
    const expected = await readTables(db)
    for (const range of [1, 5]) {
      const { db: ranged } = await createTestDatabase(t)
      await indexInRanges(ranged, test, range)
      t.strictSame(diffTables(await readTables(ranged), expected), [], `in ranges of ${range} logs`)
    }
    const { db: plain } = await createTestDatabase(t)
    await indexWithoutBackfill(plain, test)
    t.strictSame(diffTables(await readTables(plain), expected), [], 'without what makes a backfill fast')

    // At the head, a block at a time and several at once, with reorgs of other transactions.
    for (let round = 0; round < 9; round++) {
      for (let left = round % 4; left > 0; left--) await node.mine()
      await node.run(act.buy(ann, open, parseEther('0.002')))
      if (round % 3 === 2) await node.reorg(2, [{ action: act.buy(bob, open, 7n), block: 1 }])
      await index()
    }
    await expectFresh('at the head')
    t.ok(isSkipped(skipping.heightOf(await node.height()) - 1) || isSkipped(skipping.heightOf(await node.height()) + 1))
  })

t.test('blocks around skipped heights are proven, and repaired', async (t) => {
  const { node, db, test, index, chain, contracts } = await startSkipping(t)
  await playMarket(test)
  await node.mine()
  await index()
  const indexed = await prepareChainState(db, chain, contracts, test.config)
  const expected = await readTables(db)
  const prover = new BlockProver({ db, chain, contracts: indexed })
  for (let { outcome } = await prover.step(); outcome !== 'done'; { outcome } = await prover.step())
    t.equal(outcome, 'proven')
  const { unproven } = await db.selectFrom('chain_state').select('unproven').executeTakeFirstOrThrow()
  t.equal(unproven, '{}')
  await db.updateTable('blocks').set({ quote_usd: null }).where('log_count', '>', 0).execute()
  const repaired = await repair({ db, chain, contracts: indexed })
  t.ok(repaired.missingPrices > 5 && repaired.rebuilt)
  t.equal(repaired.missingLogs + repaired.forgedLogs, 0)
  t.strictSame(await auditLines(db, test), [])
  t.strictSame(diffTables(await readTables(db), expected), [])
})

t.test('a block that a sync has stored at a height that is skipped now is undone', async (t) => {
  // Nothing is skipped at first.
  const { node, accounts, deployed, db, index, sync, skipping, expectFresh } = await startSkipping(t, {
    skips: () => false,
    finality: '50',
  })
  const [, ann, bob] = accounts as [Address, Address, Address]
  const act = makeActions(deployed)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  await index()
  const [bought] = await node.run(act.buy(bob, token, parseEther('0.5')))
  await sync(bought!.transactionHash as Hex, bob, 'buy')
  const skippedNow = Number(bought!.blockNumber)
  await node.reorg(1)
  skipping.skip((height) => height === skippedNow)
  await node.mine()
  await expectFresh('the branch without the height')
  const trades = await db.selectFrom('readable_trades').select('trader').execute()
  t.strictSame(
    trades.map(({ trader }) => trader),
    [ann],
    'the purchase was orphaned',
  )
})
