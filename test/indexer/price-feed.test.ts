import t, { type Test } from 'tap'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseEther,
  zeroAddress,
} from 'viem'
import { audit } from '../../audit/audit.ts'
import { priceFeedAbi } from '../../chain/abi/price-feed.ts'
import { readCurrentAggregator, readFeedAggregators } from '../../chain/feed/aggregators.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { isNodeFailure } from '../../chain/rpc/node-failure.ts'
import { feedProxyAbi } from '../../contracts/artifacts/abi/feed-proxy.ts'
import aggregatorArtifact from '../../contracts/artifacts/DevPriceFeed.json' with { type: 'json' }
import proxyArtifact from '../../contracts/artifacts/FeedProxy.json' with { type: 'json' }
import phasedProxyArtifact from '../../contracts/artifacts/PhasedFeedProxy.json' with { type: 'json' }
import type { Db } from '../../db/client.ts'
import { type Contracts, prepareChainState } from '../../indexer/engine/contracts.ts'
import { Fetcher } from '../../indexer/engine/fetch.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { type Action, type Receipt, startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { failure, on, startHostileNode } from '../support/hostile/node.ts'
import { indexToHead } from './fixtures/indexing.ts'

t.setTimeout(400_000)

const MINUTE_MS = 60_000

const test = await startChain(t)
const { node, accounts, chain } = test
const [owner, ann, bob] = accounts as [Address, Address, Address]
const act = makeActions(test.deployed)
const hostile = await startHostileNode(t, test.anvil.url)
t.afterEach(() => hostile.follow())
const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
const buy = () => act.buy(bob, launchedToken(launch!), parseEther('0.1'))

async function deploy(data: Hex): Promise<Address> {
  const [receipt] = await node.run({ from: owner, data })
  return receipt!.contractAddress!.toLowerCase() as Address
}

const toAnswer = (usd: number) => BigInt(usd) * 10n ** 8n

/** Emits its first price in the block that creates it. */
const createAggregator = (usd: number): Hex =>
  encodeDeployData({
    abi: priceFeedAbi,
    bytecode: aggregatorArtifact.bytecode as Hex,
    args: [owner, 'ETH / USD', toAnswer(usd)],
  })

const proxyBytecodes = { phased: phasedProxyArtifact.bytecode, unphased: proxyArtifact.bytecode }

const deployProxy = (kind: keyof typeof proxyBytecodes, first: Address): Promise<Address> =>
  deploy(encodeDeployData({ abi: feedProxyAbi, bytecode: proxyBytecodes[kind] as Hex, args: [first] }))

const publish = (aggregator: Address, usd: number): Action => ({
  from: owner,
  to: aggregator,
  data: encodeFunctionData({ abi: priceFeedAbi, functionName: 'setAnswer', args: [toAnswer(usd)] }),
})

const replace = (proxy: Address, next: Address): Action => ({
  from: owner,
  to: proxy,
  data: encodeFunctionData({ abi: feedProxyAbi, functionName: 'setAggregator', args: [next] }),
})

/** Contracts with another feed, indexed from the next block on. */
const withFeed = async (feed: Address): Promise<Contracts> => ({
  ...test.contracts,
  feed,
  startBlock: (await node.height()) + 1,
})

/** The stored price of a receipt's block in USD. */
async function readPrice(db: Db, receipt: Receipt | undefined): Promise<number | null> {
  const block = db.selectFrom('blocks').select('quote_usd').where('number', '=', Number(receipt?.blockNumber))
  const { quote_usd: price } = await block.executeTakeFirstOrThrow()
  return price === null ? null : Number(price)
}

async function listDifferences(db: Db, contracts: Contracts): Promise<string[]> {
  const lines: string[] = []
  await audit({ db, chain, contracts, onDifference: (line) => lines.push(line) })
  return lines
}

/** Follows the chain block by block, by a clock that stands still. */
async function startFollower(t: Test, contracts: Contracts) {
  const { db } = await createTestDatabase(t)
  const followed = new Chain([hostile.url], { retries: 0 })
  await prepareChainState(db, followed, contracts, test.config)
  let time = 0
  const follower = new Follower({
    ...{ db, chain: followed, contracts },
    finality: { unit: 'blocks', amount: 1_000 },
    now: () => time,
  })
  const index = async () => {
    while ((await follower.step()) === 'again');
  }
  await index()
  return {
    db,
    index,
    wait: (ms: number) => {
      time += ms
    },
    /** Mines these and a trade after them. Returns the price of the trade. */
    trade: async (...actions: Action[]) => {
      const receipts = await node.run(...actions, buy())
      await index()
      return readPrice(db, receipts.at(-1))
    },
  }
}

t.test('the aggregators of a feed include those of all its phases', async (t) => {
  const [first, second, third] = [await deploy(createAggregator(1)), await deploy(createAggregator(2)), ann]
  const phased = await deployProxy('phased', first)
  await node.run(replace(phased, second), replace(phased, zeroAddress), replace(phased, third))
  t.strictSame(await readFeedAggregators(chain, phased), {
    current: third,
    emitters: new Set([phased, third, second, first]),
  })
  t.equal(await readCurrentAggregator(chain, phased), third)

  const unphased = await deployProxy('unphased', first)
  await node.run(replace(unphased, second))
  t.strictSame(await readFeedAggregators(chain, unphased), { current: second, emitters: new Set([unphased, second]) })

  // A plain feed, a contract that returns nothing, and no contract.
  for (const feed of [first, test.deployed.weth.toLowerCase(), ann])
    t.strictSame(await readFeedAggregators(chain, feed), { current: null, emitters: new Set([feed]) })

  await node.run(...Array.from({ length: 100 }, () => replace(phased, second)))
  t.strictSame((await readFeedAggregators(chain, phased)).emitters, new Set([phased, second]), 'the newest 100')
})

t.test('reading the aggregators of a feed fails while the node fails', async (t) => {
  const phased = await deployProxy('phased', await deploy(createAggregator(1)))
  hostile.follow(on('eth_call', () => failure(-32_005, 'Request limit exceeded')))
  const limited = new Chain([hostile.url], { retries: 0 })
  for (const read of [readFeedAggregators, readCurrentAggregator])
    t.ok(isNodeFailure(await read(limited, phased).catch((error: unknown) => error)))
})

t.test('prices of a plain feed come from its own events', async (t) => {
  const feed = await deploy(createAggregator(1_000))
  const contracts = await withFeed(feed)
  const [before] = await node.run(buy())
  const [, after] = await node.run(publish(feed, 1_100), buy())
  const { db } = await createTestDatabase(t)
  await indexToHead(db, { ...test, contracts })
  t.strictSame([await readPrice(db, before), await readPrice(db, after)], [1_000, 1_100])
})

t.test('prices of a proxy without phases come from the events of its aggregator', async (t) => {
  const first = await deploy(createAggregator(1_000))
  const proxy = await deployProxy('unphased', first)
  const follower = await startFollower(t, await withFeed(proxy))
  t.equal(await follower.trade(), 1_000)
  t.equal(await follower.trade(publish(first, 1_100)), 1_100)
  const second = await deploy(createAggregator(2_000))
  await node.run(replace(proxy, second))
  t.equal(await follower.trade(), 1_100)
  follower.wait(MINUTE_MS)
  t.equal(await follower.trade(), 2_000)
  t.equal(await follower.trade(publish(second, 2_100)), 2_100)
})

t.test('near the head a new aggregator is adopted within a minute', async (t) => {
  const first = await deploy(createAggregator(1_000))
  const proxy = await deployProxy('phased', first)
  const contracts = await withFeed(proxy)
  const { db, trade, wait } = await startFollower(t, contracts)
  t.equal(await trade(publish(first, 1_100)), 1_100)
  const second = await deploy(createAggregator(2_000))
  const before = await node.height()
  await node.run(replace(proxy, second))
  wait(MINUTE_MS - 1)
  t.equal(await trade(), 1_100, 'not yet')
  wait(1)
  t.equal(await trade(), 2_000, 'before it publishes again')
  t.equal(await trade(publish(second, 2_100)), 2_100)
  wait(MINUTE_MS)
  hostile.follow(
    on('eth_call', (call, ask) => {
      const [request, at] = call.params
      return at === 'latest' ? ask({ ...call, params: [request, numberToHex(before)] }) : undefined
    }),
  )
  t.equal(await trade(publish(second, 2_200)), 2_200, 'a node that lags removes none')
  t.strictSame(await listDifferences(db, contracts), [], 'the audit allows for the delay')
  await db.updateTable('blocks').set({ quote_usd: '2050' }).where('log_count', '>', 0).execute()
  t.match((await listDifferences(db, contracts))[0], /quote_usd: stored 2050/, 'and for nothing else')
})

t.test('near the head the current aggregator is requested once a minute', async (t) => {
  const feed = await deployProxy('phased', await deploy(createAggregator(1_000)))
  const { trade, wait } = await startFollower(t, await withFeed(feed))
  const countCalls = () => hostile.calls.get('eth_call') ?? 0
  t.equal(await trade(), 1_000)
  const before = countCalls()
  for (let seconds = 10; seconds <= 180; seconds += 10) {
    wait(10_000)
    t.equal(await trade(), 1_000)
  }
  t.equal(countCalls() - before, 3)
})

t.test('a failed request for the aggregator is repeated, and one that reverts is ignored', async (t) => {
  const proxy = await deployProxy('phased', await deploy(createAggregator(1_000)))
  const { db, index, trade, wait } = await startFollower(t, await withFeed(proxy))
  t.equal(await trade(), 1_000)
  const second = await deploy(createAggregator(2_000))
  await node.run(replace(proxy, second))
  wait(MINUTE_MS)
  hostile.follow(on('eth_call', () => failure(3, 'execution reverted')))
  t.equal(await trade(), 1_000)
  wait(MINUTE_MS)
  hostile.follow(on('eth_call', () => failure(-32_005, 'Request limit exceeded')))
  const [bought] = await node.run(buy())
  t.ok(isNodeFailure(await index().catch((error: unknown) => error)))
  hostile.follow()
  await index()
  t.equal(await readPrice(db, bought), 2_000)
})

t.test('a backfill across a change of the aggregator has the prices of both', async (t) => {
  const first = await deploy(createAggregator(1_000))
  const proxy = await deployProxy('phased', first)
  const contracts = await withFeed(proxy)
  const [, early] = await node.run(publish(first, 1_100), buy())
  const second = await deploy(createAggregator(2_000))
  const [, late] = await node.run(replace(proxy, second), buy())
  const third = await deploy(createAggregator(3_000))
  const [, , latest] = await node.run(replace(proxy, third), publish(third, 3_100), buy())
  for (let left = 3; left > 0; left--) await node.mine()
  const { db } = await createTestDatabase(t)
  const config = { ...test.config, finality: { unit: 'blocks', amount: 1 } as const }
  await indexToHead(db, { ...test, contracts, config })
  t.strictSame(await Promise.all([early, late, latest].map((one) => readPrice(db, one))), [1_100, 2_000, 3_100])
  t.strictSame(await listDifferences(db, contracts), [])
})

t.test('with a pruned node, prices come from the events of earlier aggregators', async (t) => {
  const first = await deploy(createAggregator(1_000))
  const proxy = await deployProxy('phased', first)
  await node.run(publish(first, 1_100))
  const contracts = await withFeed(proxy)
  const [early] = await node.run(buy())
  await node.run(replace(proxy, await deploy(createAggregator(2_000))))
  const [late] = await node.run(buy())
  hostile.follow(on('eth_call', ({ params: [, at] }) => (at === 'latest' ? undefined : failure(-32_000, 'pruned'))))
  const { db } = await createTestDatabase(t)
  await indexToHead(db, { ...test, contracts, chain: new Chain([hostile.url], { retries: 0 }) })
  t.strictSame([await readPrice(db, early), await readPrice(db, late)], [1_100, 2_000])
})

t.test('logs of an aggregator found after a range was requested are not reported as missing there', async (t) => {
  const proxy = await deployProxy('phased', await deploy(createAggregator(1_000)))
  const contracts = await withFeed(proxy)
  const reasons: string[] = []
  const watched = new Chain([hostile.url], { retries: 0, onContradiction: (_node, reason) => reasons.push(reason) })
  const { db } = await createTestDatabase(t)
  let time = 0
  const from = contracts.startBlock
  const fetcher = await Fetcher.open(db, watched, contracts, from - 1, () => time)
  const second = await deploy(createAggregator(2_000))
  await node.run(replace(proxy, second))
  const [published] = await node.run(publish(second, 2_100))
  const to = Number(published!.blockNumber)
  const requested = await fetcher.requestRange({ from, to })
  time += MINUTE_MS
  await fetcher.makeBlocks(requested, [])
  await node.run(publish(second, 2_200))
  const blocks = await fetcher.makeBlocks(await fetcher.requestRange({ from: to + 1, to: to + 1 }), [])
  t.match(blocks, [{ nativeUsd: toAnswer(2_200) }])
  t.strictSame(reasons, [])
})
