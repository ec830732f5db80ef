import t from 'tap'
import { Chain } from '../../chain/client.ts'
import type { Db } from '../../db/client.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { failure, on, type RpcCall, startHostileNode } from '../support/hostile/node.ts'
import { indexToHead, waitUntil } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const test = await startChain(t)
await playMarket(test)
/** Enough for four ranges. */
for (let left = 30; left > 0; left--) await test.node.mine()
const config = { ...test.config, finality: { unit: 'blocks', amount: 2 } as const }
const hostile = await startHostileNode(t, test.anvil.url)
t.afterEach(() => hostile.follow())

/** First blocks of the ranges that were requested, each once. */
function watchRanges() {
  const starts = new Set<number>()
  const rule = on('eth_getLogs', ({ params: [filter] }: RpcCall) => {
    const { fromBlock } = filter as { fromBlock?: string }
    if (fromBlock !== undefined) starts.add(Number(fromBlock))
    return undefined
  })
  return { starts, rule }
}

/** A follower whose transactions wait for `before`. */
async function follow(db: Db, before: () => Promise<unknown>) {
  const { contracts } = test
  const chain = new Chain([hostile.url], { retries: 0 })
  await prepareChainState(db, chain, contracts, config)
  return new Follower({
    ...{ db, chain, contracts, finality: config.finality, databaseKind: 'postgres' },
    transact: async (work) => {
      await before()
      return db.transaction().execute(work)
    },
  })
}

t.test('while a range is applied, the next two are requested, and no third', async (t) => {
  const { db } = await createTestDatabase(t)
  const { starts, rule } = watchRanges()
  hostile.follow(rule)
  const seen: number[] = []
  const follower = await follow(db, async () => {
    if (seen.length > 0) return
    await waitUntil('two ranges ahead are requested', async () => starts.size > 2)
    seen.push(starts.size)
  })
  while ((await follower.step()) === 'advanced') {}
  t.same(seen, [3])

  const honest = await createTestDatabase(t)
  await indexToHead(honest.db, { ...test, config })
  t.strictSame(diffTables(await readTables(db), await readTables(honest.db)), [])
})

t.test('a range ahead that cannot be fetched stops only the step that would apply it', async (t) => {
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
  t.equal(await follower.step(), 'advanced', 'the first range is applied')
  await t.rejects(follower.step(), 'the second cannot be')
  while ((await follower.step()) === 'advanced') {}
  const honest = await createTestDatabase(t)
  await indexToHead(honest.db, { ...test, config })
  t.strictSame(diffTables(await readTables(db), await readTables(honest.db)), [])
})
