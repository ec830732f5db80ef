import t from 'tap'
import { type Address, formatUnits, parseUnits } from 'viem'
import { erc20Abi } from '../../../chain/abi/erc20.ts'
import { launchpadAbi } from '../../../chain/abi/launchpad.ts'
import { uniswapV2PairAbi } from '../../../chain/abi/uniswap-v2-pair.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { playMarket } from '../../indexer/fixtures/market.ts'
import { createTestApp } from '../../support/app.ts'
import { startChain } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { type FeedEvent, findFeedProblems } from '../../support/feeds/dex-feed.ts'

/*
 * The feed against the chain itself: a market that has a batch of trades in one transaction, a graduation into a pair that was
 * made and funded before, swaps, liquidity and a donation.
 */
t.setTimeout(400_000)
const test = await startChain(t)
const { db } = await createTestDatabase(t)
const { graduated, open, batch } = await playMarket(test)
// Deep enough that all of it is final.
for (let block = 0; block < Number(test.config.finality.amount); block++) await test.node.mine()
await indexToHead(db, test)
const { app } = await createTestApp({ config: test.config, services: { db, chain: test.chain } })
t.teardown(() => app.close())
const ask = async <T>(url: string) => (await app.inject(`/integrations/dexscreener/${url}`)).json<T>()

const { block } = await ask<{ block: FeedEvent['block'] }>('latest-block')
const { events } = await ask<{ events: FeedEvent[] }>(`events?fromBlock=0&toBlock=${block.blockNumber}`)
const pools = await db
  .selectFrom('readable_token_figures')
  .select('pool')
  .where('token', '=', graduated)
  .executeTakeFirstOrThrow()
const pool = pools.pool as Address
const client = test.chain.client
const reads = (blockNumber: number) => ({
  curve: (token: Address) =>
    client.readContract({
      address: test.deployed.launchpad,
      abi: launchpadAbi,
      functionName: 'curves',
      args: [token],
      blockNumber: BigInt(blockNumber),
    }),
  held: (token: Address) =>
    client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [test.deployed.launchpad],
      blockNumber: BigInt(blockNumber),
    }),
  pool: () =>
    client.readContract({
      address: pool,
      abi: uniswapV2PairAbi,
      functionName: 'getReserves',
      blockNumber: BigInt(blockNumber),
    }),
})

t.test('the latest block lies at the finality depth and has its own time', async (t) => {
  t.equal(block.blockNumber, (await test.node.height()) - Number(test.config.finality.amount))
  const { timestamp } = await test.node.call<{ timestamp: string }>(
    'eth_getBlockByNumber',
    `0x${block.blockNumber.toString(16)}`,
    false,
  )
  t.equal(block.blockTimestamp, Number(timestamp))
})

t.test('every event matches the specification', async (t) => {
  t.ok(events.length > 10)
  t.same(findFeedProblems(events, { from: 0, to: block.blockNumber }), [])
})

t.test('transactions are in block order', async (t) => {
  const hashes = [...new Set(events.map(({ txnId }) => txnId))]
  const places = new Map<string, number>()
  for (const hash of hashes) {
    const { transactionIndex } = await test.node.call<{ transactionIndex: string }>('eth_getTransactionByHash', hash)
    places.set(hash, Number(transactionIndex))
  }
  for (const [at, event] of events.entries()) {
    const before = events[at - 1]
    if (before?.block.blockNumber !== event.block.blockNumber || before.txnId === event.txnId) continue
    t.ok((places.get(before.txnId) as number) < (places.get(event.txnId) as number))
  }
  t.equal(events.filter(({ txnId }) => txnId === batch.receipt.transactionHash).length, 5, 'a batch is wholly there')
})

t.test('the last reserves of a pair in a block equal those on the chain', async (t) => {
  const last = new Map(events.map((event) => [`${event.block.blockNumber}/${event.pairId}`, event]))
  t.ok(last.size > 8)
  for (const { block, pairId, reserves, eventType } of last.values()) {
    const at = reads(block.blockNumber)
    const id = pairId.toLowerCase() as Address
    const [token0] = graduated < test.deployed.weth ? [true] : [false]
    const [first, second] = id === pool ? await at.pool() : [await at.held(id), (await at.curve(id)).realQuote]
    const wanted = id === pool && !token0 ? [second, first] : [first, second]
    const served = [reserves?.asset0, reserves?.asset1]
    t.same(
      served,
      wanted.map((amount) => formatUnits(amount, 18)),
      `${eventType} in ${block.blockNumber} of ${id}`,
    )
  }
})

t.test('a graduation moves exactly the curve’s liquidity, and the price continues in the pool', async (t) => {
  const [exit, join] = events.filter(({ eventType }) => eventType !== 'swap') as [FeedEvent, FeedEvent]
  t.match([exit, join], [{ eventType: 'exit' }, { eventType: 'join' }])
  t.equal(exit.txnId, join.txnId)
  t.equal(exit.pairId.toLowerCase(), graduated)
  t.equal(join.pairId.toLowerCase(), pool)
  const before = events.filter(({ pairId }) => pairId === exit.pairId).at(-2) as FeedEvent
  t.same([exit.amount0, exit.amount1], [before.reserves?.asset0, before.reserves?.asset1])
  t.ok(events.some(({ pairId, eventType }) => pairId === join.pairId && eventType === 'swap'))
  t.ok(events.some(({ pairId }) => pairId.toLowerCase() === open))
})

t.test('no price in the history is zero, and the smallest keeps its digits', async (t) => {
  const prices = events.flatMap(({ priceNative }) => (priceNative === undefined ? [] : [priceNative]))
  t.ok(prices.every((price) => parseUnits(price, 50) > 0n))
  t.ok(prices.some((price) => Number(price) < 1e-8 && price.replace(/^0\.0*/, '').length > 20))
})
