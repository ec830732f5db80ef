import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { resolveContracts } from '../../../indexer/contracts.ts'
import { prepareChainState } from '../../../indexer/engine/contracts.ts'
import { backfillDeployments } from '../../../indexer/engine/deployments/backfill-deployments.ts'
import { syncTransaction } from '../../../indexer/engine/sync.ts'
import { startChain } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { deployNadFun } from '../../support/launchpads/nad-fun.ts'
import { deployVenue } from '../../support/launchpads/venue.ts'
import { createFollower } from '../fixtures/follower.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const test = await startChain(t)
const { node, chain, contracts, deployed, accounts } = test
const [, ann, bob] = accounts as [Address, Address, Address]
const nadFun = await deployNadFun(test, await deployVenue(test, deployed.weth))
const old = await nadFun.createToken(ann, { value: parseEther('10') })
for (let left = 20; left > 0; left--) await node.mine()
const log = { info: () => {}, warn: () => {} }

/** A database at the head, which begins to follow the launchpad. Every block is final at once. */
async function follow(t: Test) {
  const config = { ...test.config, finality: { unit: 'blocks' as const, amount: 0 } }
  const { db } = await createTestDatabase(t)
  await indexToHead(db, { chain, config, contracts })
  const added = { kind: 'nad-fun' as const, address: nadFun.address, startBlock: 0 }
  const { kind, address } = added
  await db.insertInto('deployments').values({ kind, address, start_block: 0, added_by: ann }).execute()
  const indexed = await prepareChainState(db, chain, contracts, config)
  const follower = createFollower({ db, chain, contracts: indexed, finality: config.finality })
  const { signal } = new AbortController()
  return {
    db,
    step: async () => {
      while ((await follower.step()) === 'again') {
        // Another step.
      }
    },
    backfill: () =>
      backfillDeployments({
        ...{ db, chain, contracts: indexed, log, signal, sizes: { closeBlocks: 0 } },
        transact: (work) => db.transaction().execute(work),
      }),
    expectFresh: async (what: string) => {
      const whole = { ...config, deployments: [...config.deployments, added] }
      const fresh = await createTestDatabase(t)
      await indexToHead(fresh.db, { chain, config: whole, contracts: await resolveContracts(chain, whole) })
      t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [], what)
    },
  }
}

t.test('a receipt of a token whose launch is not indexed yet waits for the history', async (t) => {
  const { db, step, backfill, expectFresh } = await follow(t)
  const { transactionHash: txHash } = await nadFun.buy(bob, old.token, parseEther('1'))
  await step()
  const sync = () =>
    syncTransaction({ db, chain, getContracts: async () => contracts }, { txHash, wallet: bob, kind: 'buy' })
  await t.rejects(sync(), { message: 'Transaction is not mined yet' })
  await backfill()
  await step()
  t.equal((await sync()).positions.length, 1)
  await expectFresh('nothing of it was decided before')
})

t.test('a head that goes on at the end of the history knows what that has brought', async (t) => {
  const { step, backfill, expectFresh } = await follow(t)
  await node.mine()
  await step()
  await backfill()
  await nadFun.sell(ann, old.token, parseEther('1'))
  await step()
  await expectFresh('with the transfers of its tokens')
})
