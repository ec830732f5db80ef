import t from 'tap'
import { type Address, type Hex, numberToHex, pad, parseEther } from 'viem'
import type { RpcLog } from '../../chain/logs/log.ts'
import { Chain } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { repair } from '../../indexer/engine/repair.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { failure, on, type Rule, result, startHostileNode } from '../support/hostile/node.ts'
import { topics } from '../support/launchpads/topics.ts'
import { type Falsified, falsifyRanges } from './fixtures/false-ranges.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const test = await startChain(t)
const { node, accounts, contracts } = test
const [, ann, bob] = accounts as [Address, Address, Address]
const act = makeActions(test.deployed)
const hostile = await startHostileNode(t, test.anvil.url)
const played = await playMarket(test)
await node.mine()
const empty = await node.call<{ number: Hex; timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)
const [launch] = await node.run(act.launch(ann, 'LAST', parseEther('0.1')))
const [buy] = await node.run(act.buy(bob, launchedToken(launch!), parseEther('0.2')))
for (let left = 2; left > 0; left--) await node.mine()

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
  ['a launch that was lost is applied with the later events of its token', launch!.blockHash, true],
] as const) {
  t.test(`repair: ${name}`, async (t) => {
    const db = await indexBehind(hide(hash))
    t.not(diffTables(await readTables(db), expected).length, 0, 'something is missing')
    const range = { from: Number(launch!.blockNumber), to: Number(launch!.blockNumber) + (rebuilt ? 0 : 1) }
    const services = { db, chain: test.chain, contracts, ...range }
    const counted = await repair({ ...services, dryRun: true })
    t.ok(counted.missingLogs > 0)
    t.equal(counted.missingPrices, 0)
    t.not(diffTables(await readTables(db), expected).length, 0, 'a dry run writes nothing')
    const done = await repair(services)
    t.ok(done.missingLogs >= counted.missingLogs)
    t.equal(done.rebuilt, rebuilt)
    t.strictSame(diffTables(await readTables(db), expected), [])
    t.match(await repair(services), { missingLogs: 0, missingPrices: 0, rebuilt: false }, 'nothing is left to do')
  })
}

t.test('a block that the chain moves under is compared again, five times at most', async (t) => {
  const height = Number(launch!.blockNumber)
  /** The number of times that the block is asked for, of which the first ones fail. */
  const ask = async (failures: number, fail: () => null) => {
    const chain = new Chain([test.anvil.url])
    const getHeader = chain.getHeader.bind(chain)
    let asked = 0
    chain.getHeader = async (wanted, ...rest) =>
      wanted === height && ++asked <= failures ? fail() : getHeader(wanted, ...rest)
    const repaired = repair({ db: honest.db, chain, contracts, from: height, to: height, dryRun: true })
    const error = await repaired.then(
      () => null,
      ({ name }: Error) => name,
    )
    return { asked, error }
  }
  const honestly = (await ask(0, () => null)).asked
  // Each time also to tell whether the chain has skipped its height.
  t.strictSame(await ask(8, () => null), { asked: honestly + 8, error: null })
  t.strictSame(await ask(10, () => null), { asked: 10, error: 'ChainMovedError' })
  const broken = () => {
    throw new TypeError('of another kind')
  }
  t.strictSame(await ask(1, broken), { asked: 1, error: 'TypeError' })
})

const { batch, graduated } = played
const ofBatch = batch.receipt.logs
const transfer = ofBatch.find(({ address, topics: [topic] }) => address === graduated && topic === topics.transfer)!
const bought = buy!.logs.find(({ topics: [topic] }) => topic === topics.buy)!
const created = (of: typeof launch) => of!.logs.find(({ topics: [topic] }) => topic === topics.create)!
const isSame = (a: RpcLog, b: RpcLog) => a.blockHash === b.blockHash && a.logIndex === b.logIndex
/** A place that no log of the block has. */
const place = { logIndex: '0xfff' } as const

const falsehoods: Record<string, { falsified: Falsified; rebuilt: boolean; forged: number }> = {
  'a transfer that is left out': { falsified: { drop: (log) => isSame(log, transfer) }, rebuilt: false, forged: 0 },
  // Its transfer is stored as one that is no part of a trade.
  'a trade that is left out': { falsified: { drop: (log) => isSame(log, bought) }, rebuilt: false, forged: 0 },
  'a forged transfer': { falsified: { add: [{ ...transfer, ...place }] }, rebuilt: true, forged: 1 },
  'a trade of another amount': {
    falsified: {
      drop: (log) => isSame(log, bought),
      add: [{ ...bought, data: bought.data.replace(/1/g, '2') as Hex }],
    },
    rebuilt: true,
    forged: 1,
  },
  // The transfers of that contract, which are stored as well, are a token's no more.
  'a forged launch of another contract': {
    falsified: {
      add: [
        {
          ...created(played.launch),
          ...place,
          topics: created(played.launch).topics.with(1, pad(test.deployed.weth)),
        },
      ],
    },
    rebuilt: true,
    forged: 2,
  },
  'a launch that is left out': { falsified: { drop: (log) => isSame(log, created(launch)) }, rebuilt: true, forged: 0 },
  'a price that is left out': {
    falsified: { drop: ({ topics: [topic], data }) => topic === topics.answerUpdated && Number(data) > 0 },
    rebuilt: true,
    forged: 0,
  },
  'a forged block': {
    falsified: {
      add: [
        {
          ...bought,
          blockNumber: empty.number,
          blockHash: pad('0xbad'),
          blockTimestamp: numberToHex(Number(empty.timestamp) + 1),
        },
      ],
    },
    rebuilt: true,
    forged: 1,
  },
}

for (const [name, { falsified, rebuilt, forged }] of Object.entries(falsehoods)) {
  t.test(`repair corrects ${name} in the response for a range`, async (t) => {
    const { db } = await createTestDatabase(t)
    hostile.follow(falsifyRanges(falsified))
    const finality = { unit: 'blocks', amount: 1 } as const
    await indexToHead(db, {
      ...test,
      chain: new Chain([hostile.url], { retries: 0 }),
      config: { ...test.config, finality },
    })
    t.not(diffTables(await readTables(db), expected).length, 0, 'something is wrong')
    const services = { db, chain: test.chain, contracts }
    const counted = await repair({ ...services, dryRun: true })
    t.ok(counted.missingLogs + counted.forgedLogs + counted.missingPrices > 0)
    const done = await repair(services)
    t.ok(done.forgedLogs >= forged && done.forgedLogs >= counted.forgedLogs)
    t.equal(done.rebuilt, rebuilt)
    t.strictSame(diffTables(await readTables(db), expected), [])
    t.match(await repair(services), { missingLogs: 0, forgedLogs: 0, missingPrices: 0, rebuilt: false })
  })
}

t.test('repair: a wrong block hash is corrected in final blocks, and left to the indexer above them', async (t) => {
  const { db } = await createTestDatabase(t)
  await indexToHead(db, test)
  const number = Number(buy!.blockNumber)
  await db
    .updateTable('blocks')
    .set({ hash: Buffer.alloc(32, 7) })
    .where('number', '=', number)
    .execute()
  const finalize = (height: number) => db.updateTable('chain_state').set({ finalized_number: height }).execute()
  const services = { db, chain: test.chain, contracts, from: number, to: number }
  await finalize(number - 1)
  await t.rejects(repair(services), {
    name: 'StaleBatchError',
    message: new RegExp(`^Block ${number} is stored as 0x(07){32}, and the chain has ${buy!.blockHash}: let`),
  })
  await finalize(number)
  t.match(await repair(services), { missingLogs: 0, forgedLogs: 0, rebuilt: true })
  t.strictSame(diffTables(await readTables(db), expected), [], 'the stored hash is that of the chain')
})

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

t.test('an indexer that runs during a repair indexes later transfers of the repaired launch', async (t) => {
  const { db } = await createTestDatabase(t)
  hostile.follow(falsifyRanges({ drop: (log) => isSame(log, created(launch)) }))
  const finality = { unit: 'blocks', amount: 1 } as const
  const options = { ...test, db, chain: new Chain([hostile.url], { retries: 0 }), finality }
  await prepareChainState(db, options.chain, contracts, test.config)
  const follower = new Follower({ ...options, contracts })
  const follow = async () => {
    while ((await follower.step()) === 'again') {
      // Another step.
    }
  }
  await follow()
  t.equal((await repair({ db, chain: test.chain, contracts })).rebuilt, true)
  await node.run(act.transfer(bob, launchedToken(launch!), ann, 7n))
  await follow()
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [])
})

t.test(
  'a repair fills in the price of the newest block, and replaces it only by an answer of the feed in its range',
  async (t) => {
    const readPrice = async (db: Db) =>
      (await db.selectFrom('chain_state').select('quote_usd').executeTakeFirstOrThrow()).quote_usd
    const right = await readPrice(honest.db)
    t.ok(Number(right) > 1)
    for (const [before, after] of [
      [null, right],
      ['1.00000000', '1.00000000'],
    ] as const) {
      const db = await indexBehind(hide(launch!.blockHash))
      await db.updateTable('chain_state').set({ quote_usd: before }).execute()
      const { rebuilt } = await repair({ db, chain: test.chain, contracts, from: Number(launch!.blockNumber) })
      t.equal(rebuilt, true)
      t.equal(await readPrice(db), after, `${before}`)
    }
  },
)
