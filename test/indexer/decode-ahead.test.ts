import t, { type Test } from 'tap'
import type { Address } from 'viem'
import { audit } from '../../audit/audit.ts'
import { parseLog } from '../../chain/logs/log.ts'
import type { Db } from '../../db/client.ts'
import { decodeAhead } from '../../indexer/backfill/decode-ahead.ts'
import { applyBatch } from '../../indexer/engine/apply.ts'
import type { Block } from '../../indexer/engine/batch.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { detachCreations } from '../../indexer/engine/creations.ts'
import type { DecodedBlocks } from '../../indexer/engine/decode.ts'
import { listTopics } from '../../indexer/engine/module.ts'
import { modules } from '../../indexer/modules.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'
import { createFollower } from './fixtures/follower.ts'
import { launchCompleted, makeMoves, prepareMoves } from './fixtures/graduations.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { launchForRaises, succeedRaise } from './fixtures/raises.ts'
import { playStaking } from './fixtures/staking.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const skip = serverUrl === null && 'PGlite has one connection'
/** Ranges of few blocks, three of which are decoded ahead. */
const batchSizes = { range: 1, least: 0, most: 0, total: 3, ahead: 1_000, rangesAhead: 3 }

async function findDifferences(
  test: Parameters<typeof indexToHead>[1] & Omit<Parameters<typeof audit>[0], 'onDifference'>,
) {
  const lines: string[] = []
  await audit({ ...test, onDifference: (line) => lines.push(line) })
  return lines
}

t.test('logs of a pool that move no token are not lost if its graduation is not committed yet', { skip }, async (t) => {
  const test = await startChain(t)
  const { node, chain, contracts } = test
  const config: typeof test.config = { ...test.config, finality: { unit: 'blocks', amount: 1 } }
  const mover = await prepareMoves(test)
  const completed = await launchCompleted(test, mover, 'ONE')
  await node.mine()
  const { db } = await createTestDatabase(t)
  await indexToHead(db, { ...test, config })

  const [, , bob] = test.accounts as [Address, Address, Address]
  const { silent } = makeMoves(mover, completed)
  await node.run(mover.act.graduate(bob, completed.token))
  for (const move of Object.values(silent)) await node.run(move)
  for (let left = 3; left > 0; left--) await node.mine()

  const indexed = await prepareChainState(db, chain, contracts, config)
  const { finality } = config
  const follower = createFollower({ db, chain, contracts: indexed, finality, batchSizes, bulkLogs: 0 })
  while ((await follower.step()) === 'again') {}
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, { ...test, config })
  t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [])
  t.strictSame(await findDifferences({ ...test, config, db }), [], 'the audit is clean')
})

/** A chain of about a hundred blocks with all that creates something, and all that moves a pool. */
async function playChain(t: Test) {
  const test = await startChain(t)
  const { node } = test
  const [, , bob] = test.accounts as [Address, Address, Address]
  await playMarket(test)
  const mover = await prepareMoves(test)
  for (const symbol of ['TWO', 'THREE', 'FOUR']) {
    const completed = await launchCompleted(test, mover, symbol)
    const { silent, loud } = makeMoves(mover, completed)
    await node.run(mover.act.graduate(bob, completed.token))
    for (const move of Object.values(silent)) await node.run(move)
    for (const move of Object.values(loud)) await node.run(move)
    await node.run(...Object.values(silent))
  }
  await playStaking(test)
  await succeedRaise(test, await launchForRaises(test))
  return test
}

/** All blocks with every log that a decoder may be given, also those of foreign contracts. */
async function readChain({ chain, node }: Awaited<ReturnType<typeof startChain>>): Promise<Block[]> {
  const blocks: Block[] = []
  for (let number = 1; number <= (await node.height()); number++) {
    const header = (await chain.getHeader(number))!
    const { logs } = await chain.readBlockLogs(header, listTopics(modules).wanted)
    blocks.push({ ...header, nativeUsd: null, quotePrices: null, logs: logs.map(parseLog) })
  }
  return blocks
}

/** Everything that decoding a block results in, block by block. */
function describe(blocks: readonly Block[], decoded: DecodedBlocks | undefined): string[] {
  const events = [...(decoded?.parts ?? [])].flatMap((part) =>
    part.flatMap(({ module, events }) => events.map((event) => ({ module: module.name, event }))),
  )
  const kept = new Map(decoded?.blocks.map(({ number, logs }) => [number, logs.map(({ logIndex }) => logIndex)]))
  return blocks.map(({ number }) => {
    const own = events.filter(({ event }) => event.at.blockNumber === number)
    const rejected = decoded?.rejected.examples.filter(({ block }) => block === number)
    return JSON.stringify({ number, kept: kept.get(number), own, rejected }, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
  })
}

t.test('a range decoded ahead equals the same range decoded in order, wherever the last commit is', async (t) => {
  const test = await playChain(t)
  const { chain, contracts, config } = test
  const blocks = await readChain(test)
  const { db } = await createTestDatabase(t)
  await prepareChainState(db, chain, contracts, config)
  const commit = (db: Db, block: Block) =>
    db.transaction().execute((trx) => applyBatch(trx, modules, { blocks: [block], advance: null }))
  const decode = async (committed: number, from: number, to: number) => {
    const range = blocks.slice(from, to)
    const uncommitted = detachCreations(contracts, blocks.slice(committed, from))
    return describe(range, await decodeAhead(db, contracts, range, uncommitted))
  }

  const ahead: { split: string; from: number; decoded: string[] }[] = []
  const inOrder: string[] = []
  for (const [committed, block] of blocks.entries()) {
    inOrder.push(...(await decode(committed, committed, committed + 1)))
    const ranges = [...blocks.keys()].filter((from) => from >= committed && blocks[from]!.logs.length > 0)
    const split = async (from: number) => {
      // Most ranges are of one block: it refers to the fewest contracts, so that the least is loaded for it.
      const to = from + 1 + ((committed + from) % 5 === 0 ? (committed + from) % 7 : 0)
      const name = `${committed} committed, the range is [${from}, ${to})`
      return { split: name, from, decoded: await decode(committed, from, to) }
    }
    ahead.push(...(await Promise.all(ranges.map(split))))
    await commit(db, block)
  }
  t.ok(blocks.length >= 90, `${blocks.length} blocks`)
  const wrong = ahead.filter(({ from, decoded }) => decoded.some((text, at) => text !== inOrder[from + at]))
  t.strictSame(
    wrong.slice(0, 3).map(({ split, from, decoded }) => ({ split, decoded, inOrder: inOrder[from] })),
    [],
    `${wrong.length} of ${ahead.length} splits differ`,
  )
})
