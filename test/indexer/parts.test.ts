import t from 'tap'
import { dataHex, type Log } from '../../chain/logs/log.ts'
import { makeRange } from '../../indexer/engine/backfill.ts'
import type { Block } from '../../indexer/engine/batch.ts'
import { readBlocks } from '../../indexer/engine/blocks.ts'
import { listIndexed, selectState } from '../../indexer/engine/contracts.ts'
import { detachCreations, pickCreations } from '../../indexer/engine/creations.ts'
import { joinParts } from '../../indexer/engine/decode.ts'
import type { RangeLogs } from '../../indexer/engine/fetch.ts'
import { contractsOf, type Deployed, type IndexedEvent, type IndexerModule } from '../../indexer/engine/module.ts'
import { interpretBlocks } from '../../indexer/market/interpret-blocks.ts'
import { market } from '../../indexer/market/module.ts'
import { loadRegistry } from '../../indexer/market/registry.ts'
import { modules } from '../../indexer/modules.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'

const test = await startChain(t)
await playMarket(test)
const { db } = await createTestDatabase(t)
await indexToHead(db, test)
const blocks = await db.transaction().execute((trx) => readBlocks(trx, { from: 0 }))
const state = await selectState(db).executeTakeFirstOrThrow()
const contracts = listIndexed(state, modules)
const ofMarket = contractsOf(contracts, market)

t.test('parts of whole blocks have the same events as all blocks at once', async (t) => {
  const registry = await loadRegistry(db, ofMarket, blocks, blocks)
  const whole = [...interpretBlocks(blocks, registry)].flat()
  t.ok(whole.length > 20)
  for (const logsPerPart of [1, 3]) {
    const parts = [...interpretBlocks(blocks, registry, undefined, logsPerPart)]
    t.ok(parts.length > 3)
    t.strictSame(parts.flat(), whole)
    const lasts = parts.map((part) => part.at(-1)?.at.blockNumber ?? 0)
    const firsts = parts.map((part) => part[0]?.at.blockNumber ?? Number.POSITIVE_INFINITY)
    t.ok(
      firsts.slice(1).every((first, index) => first > lasts[index]!),
      'no block is in two parts',
    )
  }
})

t.test('a log is decoded when its part is read', async (t) => {
  const read: number[] = []
  const watched: Block[] = blocks.map((block) => ({
    ...block,
    get logs() {
      read.push(block.number)
      return block.logs
    },
  }))
  const registry = await loadRegistry(db, ofMarket, blocks, blocks)
  const parts = interpretBlocks(watched, registry, undefined, 1)
  parts.next()
  t.ok(!read.includes(blocks.at(-1)!.number))
  for (const _ of parts);
  t.ok(read.includes(blocks.at(-1)!.number))
})

t.test('the parts of all modules are joined, even if some modules have fewer', async (t) => {
  const eventAt = (logIndex: number) => ({ at: { blockNumber: 1, logIndex, txHash: '0x', time: 1, nativeUsd: null } })
  const [a, b, c, d] = [1, 2, 3, 4].map(eventAt) as [IndexedEvent, IndexedEvent, IndexedEvent, IndexedEvent]
  const [first, second, third] = modules as [IndexerModule, IndexerModule, IndexerModule]
  const joined = joinParts([
    { module: first, parts: [[a], [b], [c]] },
    { module: second, parts: [[d]] },
    { module: third, parts: [] },
  ])
  t.same(
    [...joined].map((part) => part.map(({ events }) => events)),
    [
      [[a], [d], []],
      [[b], [], []],
      [[c], [], []],
    ],
  )
})

t.test('a detached creation is the same log without the rest of its response', async (t) => {
  const toPlain = (log: Log) => [log.logIndex, log.txHash, log.address, log.topics, dataHex(log)]
  const all = new Map(blocks.flatMap(({ logs }) => logs.map((log) => [log, toPlain(log)])))
  const detached = detachCreations(contracts, blocks).flatMap(({ logs }) => logs)
  t.ok(detached.length > 0)
  for (const log of detached) {
    t.same(toPlain(log), all.get(log))
    t.equal(log.bytes.length, log.end - log.start)
  }
})

t.test('a creation whose topic two modules share belongs to the module whose contract emitted it', async (t) => {
  const other: IndexerModule = { ...market, name: 'other' }
  const both = [market, other]
  const emitter = ofMarket.addresses
  const pick = (addresses: [string, Deployed][]) =>
    pickCreations({ ...contracts, modules: both, addresses: new Map(addresses) }, blocks)
  const expected = pickCreations({ ...contracts, modules: [market] }, blocks)
  t.not(expected.length, 0)
  t.same(
    pick([
      ['market', new Map()],
      ['other', emitter],
    ]),
    expected,
  )
  t.same(
    pick([
      ['market', new Map()],
      ['other', new Map()],
    ]),
    [],
  )
})

t.test('a range whose last block is gone from the chain is fetched again', async (t) => {
  const first = blocks[0]!
  const take = (found: Block[], to: number) =>
    makeRange({ makeBlocks: async () => found }, { range: { from: first.number, to } } as RangeLogs, [to])
  t.match(await take([first], first.number), { to: { number: first.number, hash: first.hash } })
  for (const found of [[], [first]])
    await t.rejects(take(found, first.number + 1), {
      name: 'ChainMovedError',
      message: `Block ${first.number + 1} is gone`,
    })
})
