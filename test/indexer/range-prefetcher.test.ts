import t, { type Test } from 'tap'
import { Chain } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import {
  type BatchSizes,
  findDensity,
  type RangeFetcher,
  RangePrefetcher,
} from '../../indexer/backfill/range-prefetcher.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'
import { failure, on, type RpcCall, startHostileNode } from '../support/hostile/node.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import { createFollower, type FollowerOptions } from './fixtures/follower.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const test = await startChain(t)
await playMarket(test)
/** Enough for four ranges. */
for (let left = 30; left > 0; left--) await test.node.mine()
const config: typeof test.config = { ...test.config, finality: { unit: 'blocks', amount: 2 } }
const hostile = await startHostileNode(t, test.anvil.url)
t.afterEach(() => hostile.follow())
const skip = serverUrl === null && 'PGlite has one connection'

/** The ranges that were requested, from their first blocks to their last ones. */
function watchRanges() {
  const starts = new Map<number, number>()
  const rule = on('eth_getLogs', ({ params: [filter] }: RpcCall) => {
    const { fromBlock, toBlock } = filter as { fromBlock?: string; toBlock?: string }
    if (fromBlock !== undefined) starts.set(Number(fromBlock), Number(toBlock))
    return undefined
  })
  return { starts, rule }
}

/** A follower whose transactions wait for `before`. */
async function follow(
  db: Db,
  before: () => Promise<unknown>,
  { finality } = config,
  batchSizes?: BatchSizes,
  more: Pick<FollowerOptions, 'bulkLogs' | 'signal' | 'onApplied'> = {},
) {
  const { contracts } = test
  const chain = new Chain([hostile.url], { retries: 0 })
  await prepareChainState(db, chain, contracts, config)
  return createFollower({
    ...{ db, chain, contracts, finality, batchSizes, ...more },
    transact: async (work) => {
      await before()
      return db.transaction().execute(work)
    },
  })
}

/** Fails unless a database equals one that was filled through an honest node. */
async function requireEqual(t: Test, db: Db) {
  const honest = await createTestDatabase(t)
  await indexToHead(honest.db, { ...test, config })
  t.strictSame(diffTables(await readTables(db), await readTables(honest.db)), [])
}

t.test('short ranges are joined into one batch', async (t) => {
  const { db } = await createTestDatabase(t)
  const { starts, rule } = watchRanges()
  hostile.follow(rule)
  let transactions = 0
  const follower = await follow(db, async () => {
    transactions += 1
  })
  while ((await follower.step()) === 'again') {}
  t.ok(starts.size > 2, `${starts.size} ranges`)
  t.equal(transactions, 2, 'one for the final blocks, one for those above')
  await requireEqual(t, db)
})

t.test('while a batch is applied, the next ranges are requested, up to a limit of logs', async (t) => {
  const { db } = await createTestDatabase(t)
  const { starts, rule } = watchRanges()
  hostile.follow(rule)
  const seen: number[] = []
  const before = async () => {
    if (seen.length > 0) return
    await waitUntil('a range ahead is requested', async () => starts.size > 1)
    // Its logs have arrived after some round trips, and a further range would have been requested.
    const chain = new Chain([hostile.url], { retries: 0 })
    for (let left = 20; left > 0; left--) await chain.getHeader('latest')
    seen.push(starts.size)
  }
  const sizes = { range: 40_000, least: 0, most: 0, total: 0, ahead: 1, rangesAhead: 8 }
  const follower = await follow(db, before, config, sizes)
  while ((await follower.step()) === 'again') {}
  t.same(seen, [2])
  await requireEqual(t, db)
})

const manyRanges: BatchSizes = { range: 1, least: 0, most: 1, total: 1_000_000, ahead: 1_000_000, rangesAhead: 8 }

/** Number of transactions and of requested ranges until all final blocks are indexed. */
async function countTransactions(
  t: Test,
  sizes: BatchSizes,
  more: Pick<FollowerOptions, 'bulkLogs' | 'signal'> = { bulkLogs: 0 },
) {
  const { db } = await createTestDatabase(t)
  const { starts, rule } = watchRanges()
  hostile.follow(rule)
  let transactions = 0
  const onApplied = () => {
    transactions += 1
  }
  const follower = await follow(db, async () => {}, config, sizes, { ...more, onApplied })
  while ((await follower.step()) === 'again') {}
  await requireEqual(t, db)
  return { transactions, ranges: starts.size }
}

t.test('ranges that arrive while a transaction runs are added to it', { skip }, async (t) => {
  const long = await countTransactions(t, manyRanges)
  const cases = {
    'up to a number of logs': () => countTransactions(t, { ...manyRanges, total: 1 }),
    'not before a bulk load has started': () => countTransactions(t, manyRanges, {}),
    'not in a process that stops': () => countTransactions(t, manyRanges, { bulkLogs: 0, signal: AbortSignal.abort() }),
  }
  for (const [name, count] of Object.entries(cases)) {
    const short = await count()
    t.equal(short.ranges, long.ranges)
    t.ok(long.transactions < short.transactions / 2, `${name}: ${long.transactions}, and ${short.transactions}`)
  }
})

t.test('a batch ends before a range of another branch', async (t) => {
  const { db } = await createTestDatabase(t)
  const LIMIT = 30
  const hashOf = (number: number) => `0x${number}`
  const take = async (orphaned: (from: number) => boolean) => {
    const fetcher = {
      requestRange: async (range: { from: number; to: number }) => ({ range, gathered: new Map(), count: 0 }),
      makeBlocks: async ({ range: { from, to } }: { range: { from: number; to: number } }) =>
        [from, to].map((number) => ({
          number,
          hash: hashOf(number),
          parentHash: number === from && orphaned(from) ? '0xother' : hashOf(number - 1),
          logs: [],
        })),
    } as unknown as RangeFetcher
    const openFetcher = async () => fetcher
    const ahead = new RangePrefetcher({ db, contracts: test.contracts, databaseKind: 'pglite', openFetcher })
    return (await ahead.take(0, LIMIT)).to.number
  }
  t.equal(await take(() => false), LIMIT)
  t.equal(await take((from) => from > 5), 10)
})

t.test('a prefetched range that fails stops only the step that would apply it', async (t) => {
  const { db } = await createTestDatabase(t)
  let refused = 0
  const { starts, rule } = watchRanges()
  hostile.follow(
    rule,
    on('eth_getLogs', () => {
      if (starts.size < 2 || refused > 0) return undefined
      refused += 1
      return failure(-32_005, 'Too many requests')
    }),
  )
  const follower = await follow(db, () => waitUntil('a range ahead is refused', async () => refused > 0))
  t.equal(await follower.step(), 'again', 'the first range is applied')
  await t.rejects(follower.step(), { message: /Too many requests/ }, 'the second cannot be')
  while ((await follower.step()) === 'again') {}
  await requireEqual(t, db)
})

t.test('if each block is final at once, short ranges do not lengthen later ones', async (t) => {
  const { db } = await createTestDatabase(t)
  const { starts, rule } = watchRanges()
  hostile.follow(rule)
  const follower = await follow(db, async () => {}, { ...config, finality: { unit: 'blocks', amount: 0 } })
  const catchUp = async () => {
    while ((await follower.step()) === 'again') {}
  }
  await catchUp()
  for (let left = 8; left > 0; left--) {
    await test.node.mine()
    await catchUp()
  }
  starts.clear()
  const from = (await test.node.height()) + 1
  for (let left = 150; left > 0; left--) await test.node.mine()
  await catchUp()
  t.ok(starts.has(from))
  t.ok(starts.get(from)! < from + 100, `the first range is [${from}, ${starts.get(from)}]`)
})

t.test('the density of a range is that of its last quarter, if that is denser', async (t) => {
  const densityOf = (counts: Record<number, number>) => {
    const gathered = new Map(Object.entries(counts).map(([number, length]) => [Number(number), { logs: { length } }]))
    const count = Object.values(counts).reduce((sum, one) => sum + one, 0)
    return findDensity({ range: { from: 11, to: 18 }, gathered, count })
  }
  t.equal(densityOf({}), 0)
  t.equal(densityOf({ 11: 8, 12: 8 }), 2, 'where it becomes sparse, the average counts')
  t.equal(densityOf({ 16: 40, 17: 60, 18: 100 }), 80, 'of the last two of eight blocks')
})
