import t, { type Test } from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import { UnknownTagError } from '../../chain/rpc/finalized-block.ts'
import type { Db } from '../../db/client.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { type Node, startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { failure, on, type Rule, result, startHostileNode } from '../support/hostile/node.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const finalHeight = async (db: Db) =>
  (await db.selectFrom('chain_state').select('finalized_number').executeTakeFirstOrThrow()).finalized_number

interface Header {
  number: Hex
  timestamp: Hex
}

/** What is final at the present head, read from every block. */
const oracles = {
  /** Eight blocks below the head. */
  '8': async (node: Node) => (await node.height()) - 8,
  /** The newest block that is at least 50 seconds older than the head. */
  '50s': async (node: Node) => {
    const height = await node.height()
    const numbers = Array.from({ length: height + 1 }, (_, number) => `0x${number.toString(16)}`)
    const headers = await Promise.all(numbers.map((number) => node.call<Header>('eth_getBlockByNumber', number, false)))
    const limit = Number(headers.at(-1)?.timestamp) - 50
    return Number(headers.findLast(({ timestamp }) => Number(timestamp) <= limit)?.number)
  },
  /** Six blocks below the head, with three slots in an epoch. */
  finalized: async (node: Node) => Number((await node.call<Header>('eth_getBlockByNumber', 'finalized', false)).number),
}

/** A chain with a token, and blocks after its launch. */
async function startMarket(t: Test, rule: string) {
  const test = await startChain(t, { env: { FINALITY: rule }, extraArgs: ['--slots-in-an-epoch', '3'] })
  const { node, deployed, accounts } = test
  const [ann, bob] = accounts.slice(1) as [Address, Address]
  const act = makeActions(deployed)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  // Blocks at irregular times, some of them in bursts.
  for (let block = 0; block < 16; block++) await node.mine(block % 4 === 0 ? 20 : 1)
  return { ...test, test, buy: (amount: bigint) => act.buy(bob, token, amount) }
}

for (const [rule, oracle] of Object.entries(oracles))
  t.test(`with FINALITY=${rule}, blocks are final by that rule, and only a reorg of final blocks halts`, async (t) => {
    const { node, test, buy, chain, config, contracts } = await startMarket(t, rule)
    const { db } = await createTestDatabase(t)
    await indexToHead(db, test)
    const atFirst = await oracle(node)
    t.equal(await finalHeight(db), atFirst, 'after the backfill')
    t.ok(atFirst > Number(contracts.startBlock) && atFirst < (await node.height()))
    for (const seconds of [1, 45, 1]) {
      await node.mine(seconds)
      await indexToHead(db, test)
      t.equal(await finalHeight(db), await oracle(node), `a block ${seconds} s later`)
    }
    await node.run(buy(5n))
    await indexToHead(db, test)
    const isConfirmed = async () => {
      const last = db.selectFrom('readable_trades').select('block_number').orderBy('block_number', 'desc').limit(1)
      return (await last.executeTakeFirstOrThrow()).block_number <= (await finalHeight(db))
    }
    t.notOk(await isConfirmed(), 'the trade is not confirmed')

    await node.reorg((await node.height()) - (await finalHeight(db)), [{ action: buy(7n), block: 1 }])
    await indexToHead(db, test)
    const fresh = await createTestDatabase(t)
    await indexToHead(fresh.db, test)
    t.strictSame(
      diffTables(await readTables(db), await readTables(fresh.db)),
      [],
      'a reorg above the final block is followed',
    )

    while (!(await isConfirmed())) {
      await node.mine(10)
      await indexToHead(db, test)
    }
    const before = await readTables(db)
    await node.reorg((await node.height()) - (await finalHeight(db)) + 1)
    await node.mine()
    const follower = new Follower({ db, chain, contracts, finality: config.finality })
    await t.rejects(follower.step(), { name: 'DeepReorgError' }, 'a deeper one halts')
    t.strictSame(diffTables(await readTables(db), before), [], 'and loses nothing')
  })

t.test('a lagging node does not lower the final height', async (t) => {
  const { node, test, anvil } = await startMarket(t, 'finalized')
  const hostile = await startHostileNode(t, anvil.url)
  const chain = new Chain([hostile.url], { retries: 0 })
  const { db } = await createTestDatabase(t)
  await indexToHead(db, { ...test, chain })
  const final = await finalHeight(db)
  const older = await node.call('eth_getBlockByNumber', `0x${(final - 3).toString(16)}`, false)
  for (const answer of [result(older), result(null), failure(-39_001, 'finalized block not found')]) {
    hostile.follow(onFinalized(() => answer))
    await node.mine()
    await indexToHead(db, { ...test, chain })
    t.equal(await finalHeight(db), final, JSON.stringify(answer).slice(0, 60))
  }
  hostile.follow()
  await node.mine()
  await indexToHead(db, { ...test, chain })
  t.equal(await finalHeight(db), final + 4)
})

t.test('a node without the block tag of FINALITY causes an UnknownTagError, a busy node does not', async (t) => {
  const { test, anvil } = await startMarket(t, 'finalized')
  const hostile = await startHostileNode(t, anvil.url)
  const chain = new Chain([hostile.url], { retries: 0 })
  const { db } = await createTestDatabase(t)
  hostile.follow(onFinalized(() => failure(-32_602, 'invalid argument 0: hex string without 0x prefix')))
  await t.rejects(
    indexToHead(db, { ...test, chain }),
    new UnknownTagError(
      'FINALITY is finalized, but the node of RPC_URL does not know this block tag. Set it to a number of blocks, such as 12, or of seconds, such as 60s',
    ),
  )
  hostile.follow(onFinalized(() => failure(-32_005, 'Request limit exceeded')))
  await t.rejects(indexToHead(db, { ...test, chain }), /limit exceeded/i, 'a busy node is not')
})

/** Answers for the tag alone. */
function onFinalized(rule: Rule): Rule {
  return on('eth_getBlockByNumber', (call, ask, together) =>
    call.params[0] === 'finalized' ? rule(call, ask, together) : undefined,
  )
}
