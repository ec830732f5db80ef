import t from 'tap'
import { type Address, parseEther } from 'viem'
import { Chain } from '../../chain/client.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { repair } from '../../indexer/engine/repair.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { failure, on, type Rule, result, startHostileNode } from '../support/hostile/node.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const test = await startChain(t)
const { node, accounts, contracts } = test
const [, ann, bob] = accounts as [Address, Address, Address]
const act = makeActions(test.deployed)
const hostile = await startHostileNode(t, test.anvil.url)
await playMarket(test)
const [launch] = await node.run(act.launch(ann, 'LAST', parseEther('0.1')))
const [buy] = await node.run(act.buy(bob, launchedToken(launch!), parseEther('0.2')))
await node.mine()

const noReceipts = on('eth_getBlockReceipts', () => failure(-32_601, 'The method does not exist'))
/** Says consistently, as the only node there is, that a block has no logs. */
const hide = (hash: string): Rule =>
  on('eth_getLogs', ({ params: [filter] }) =>
    (filter as { blockHash: string }).blockHash === hash ? result([]) : undefined,
  )

async function indexBehind(...rules: Rule[]) {
  const { db } = await createTestDatabase(t)
  hostile.follow(noReceipts, ...rules)
  await indexToHead(db, { ...test, chain: new Chain([hostile.url], { retries: 0, proofs: false }) })
  return db
}

const honest = await createTestDatabase(t)
await prepareChainState(honest.db, test.chain, contracts, test.config)
await indexToHead(honest.db, test)
const expected = await readTables(honest.db)

for (const [name, hash, rebuilt] of [
  ['a trade that was lost is applied', buy!.blockHash, false],
  ['a launch that was lost brings along what was done with its token since', launch!.blockHash, true],
] as const) {
  t.test(`repair: ${name}`, async (t) => {
    const db = await indexBehind(hide(hash))
    t.not(diffTables(await readTables(db), expected).length, 0, 'something is missing')
    const range = { from: Number(launch!.blockNumber), to: Number(launch!.blockNumber) + (rebuilt ? 0 : 1) }
    const services = { db, chain: test.chain, contracts, ...range }
    const counted = await repair({ ...services, dryRun: true })
    t.ok(counted.missingLogs > 0)
    t.not(diffTables(await readTables(db), expected).length, 0, 'a dry run writes nothing')
    const done = await repair(services)
    t.ok(done.missingLogs >= counted.missingLogs)
    t.equal(done.rebuilt, rebuilt)
    t.strictSame(diffTables(await readTables(db), expected), [])
    t.match(await repair(services), { missingLogs: 0, missingPrices: 0, rebuilt: false }, 'nothing is left to do')
  })
}

t.test('repair: USD values that are null are filled', async (t) => {
  const { db } = await createTestDatabase(t)
  // Without its price feed, as a service was run at first.
  await indexToHead(db, { ...test, contracts: { ...contracts, feed: null } })
  const unpriced = () => db.selectFrom('readable_trades').select('tx_hash').where('value_usd', 'is', null).execute()
  t.not((await unpriced()).length, 0)
  t.match(await repair({ db, chain: test.chain, contracts }), { missingLogs: 0, rebuilt: true })
  t.strictSame(await unpriced(), [])
  t.strictSame(diffTables(await readTables(db), expected), [])
})
