import t, { type Test } from 'tap'
import { isApplyAwaited, lockForApply } from '../../db/apply-lock.ts'
import type { Db } from '../../db/client.ts'
import { decodeAhead } from '../../indexer/backfill/decode-ahead.ts'
import { type ExtensionOptions, openExtension } from '../../indexer/backfill/extend-batch.ts'
import { applyBatch } from '../../indexer/engine/apply.ts'
import type { Backfill, FetchedRange } from '../../indexer/engine/backfill.ts'
import type { Block } from '../../indexer/engine/batch.ts'
import { readBlocks } from '../../indexer/engine/blocks.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { detachCreations } from '../../indexer/engine/creations.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { playMarket } from './fixtures/market.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

const test = await startChain(t)
await playMarket(test)
for (let left = 12; left > 0; left--) await test.node.mine()
const config: typeof test.config = { ...test.config, finality: { unit: 'blocks', amount: 2 } }

/** A database that was indexed in batches of their own, with its blocks. */
const reference = await createTestDatabase(t)
await indexToHead(reference.db, { ...test, config })
const expected = await readTables(reference.db)
const blocks = await reference.db.transaction().execute((trx) => readBlocks(trx, { from: 0 }))
const state = await reference.db.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()

interface Offers {
  /** Offered one after another. Default: all ranges after the first one. */
  offers?: readonly FetchedRange[]
  /** Called before each offer. */
  onOffer?: (index: number) => Promise<void>
  bounds?: Pick<ExtensionOptions, 'maxMs' | 'maxPendingRows'>
  /** The first range of the batch. Default: the first one of all. */
  first?: FetchedRange
}

interface Opened {
  db: Db
  /** Each block as a range; the last one reaches the checkpoint of the reference. */
  ranges: FetchedRange[]
  /** Applies a range, and offers others. Returns the number of those that were added. */
  apply(given?: Offers): Promise<number>
}

/** synced: indexes of blocks that a receipt sync has stored before. */
async function open(t: Test, synced: readonly number[] = []): Promise<Opened> {
  const { db } = await createTestDatabase(t)
  const contracts = await prepareChainState(db, test.chain, test.contracts, config)
  for (const index of synced) {
    await db
      .transaction()
      .execute((trx) => applyBatch(trx, contracts.modules, { blocks: [blocks[index]!], advance: null }))
  }
  const ranges: FetchedRange[] = []
  for (const [index, block] of blocks.entries()) {
    const isLast = index === blocks.length - 1
    const to = await test.chain.getHeader(isLast ? state.checkpoint_number : block.number)
    const decoded = await decodeAhead(db, contracts, [block], detachCreations(contracts, blocks.slice(0, index)))
    ranges.push({ blocks: [block], to: to!, nativeUsd: block.nativeUsd, quotePrices: block.quotePrices, decoded })
  }
  const apply = async ({ first = ranges[0]!, offers, onOffer = async () => {}, bounds }: Offers = {}) => {
    const offered = offers ?? ranges.slice(ranges.indexOf(first) + 1)
    const { checkpoint_number: from } = await db.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
    const head = { number: state.head_number, time: state.head_time }
    const { to, nativeUsd, quotePrices, decoded } = first
    const advance = { from, to, head, finalized: state.finalized_number, nativeUsd, quotePrices }
    let added = 0
    const takeRange: ExtensionOptions['takeRange'] = async (accepts) => {
      await onOffer(added)
      const offer = offered[added]
      if (!offer || !accepts(offer)) return undefined
      added += 1
      return offer
    }
    const backfill: Pick<Backfill, 'openExtension'> = {
      openExtension: (trx, batch) => openExtension(trx, batch, { ...bounds, takeRange }),
    }
    const batch = { blocks: first.blocks, advance }
    const { advance: reached } = await db
      .transaction()
      .execute((trx) => applyBatch(trx, contracts.modules, batch, { decoded, backfill }))
    const last = added === 0 ? first : offered[added - 1]!
    const { checkpoint_number } = await db.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
    t.equal(checkpoint_number, last.to.number, 'the checkpoint is at the last range added')
    t.equal(reached?.to.number, last.to.number)
    return added
  }
  return { db, ranges, apply }
}

t.test('ranges added to a running batch store the same rows as separate batches', async (t) => {
  const { db, ranges, apply } = await open(t)
  t.equal(await apply(), ranges.length - 1)
  t.strictSame(diffTables(await readTables(db), expected), [])
})

t.test('trades indexed after later synced ones correct the lots and profits already stored', async (t) => {
  const launches = blocks.flatMap((block, index) =>
    detachCreations(test.contracts, [block]).length > 0 ? [index] : [],
  )
  for (const last of [1, 4]) {
    const synced = new Set([...launches, ...[...blocks.keys()].slice(-last)])
    const { db, ranges, apply } = await open(
      t,
      [...synced].sort((a, b) => a - b),
    )
    for (let at = 0; at < ranges.length; ) at += 1 + (await apply({ first: ranges[at]! }))
    t.strictSame(diffTables(await readTables(db), expected), [], `the last ${last} were synced first`)
  }
})

t.test('only a consecutive, decoded range of new blocks is added to a batch', async (t) => {
  const changed = (change: (range: FetchedRange) => FetchedRange) => async (t: Test) => {
    const { ranges, apply } = await open(t)
    t.equal(await apply({ offers: [ranges[1]!, change(ranges[2]!)] }), 1)
  }
  const withFirst = (range: FetchedRange, block: Partial<Block>): FetchedRange => ({
    ...range,
    blocks: [{ ...range.blocks[0]!, ...block }],
  })
  await t.test(
    'a range that was not decoded is not added',
    changed((range) => ({ ...range, decoded: undefined })),
  )
  await t.test(
    'a range decoded before an undo is not added',
    changed((range) => ({ ...range, decoded: { ...range.decoded!, undoCount: 7 } })),
  )
  await t.test('a range of another branch is not added', async (t) => {
    const { ranges, apply } = await open(t)
    const [, second, third] = ranges as [FetchedRange, FetchedRange, FetchedRange]
    const next = { number: second.to.number + 1 }
    const child = withFirst(third, { ...next, parentHash: second.to.hash })
    t.equal(await apply({ offers: [second, child] }), 2, 'its child is added')
    const other = await open(t)
    const stranger = withFirst(third, { ...next, parentHash: third.to.hash })
    t.equal(await other.apply({ offers: [second, stranger] }), 1)
  })
  await t.test('a range with a stored block is not added', async (t) => {
    const { apply } = await open(t, [3])
    t.equal(await apply(), 2)
  })
})

t.test('a batch ends at its limit of pending rows', async (t) => {
  const { ranges, apply } = await open(t)
  const added = await apply({ bounds: { maxPendingRows: 10 } })
  t.ok(added > 0 && added < ranges.length - 1, `${added} of ${ranges.length - 1} were added`)
})

t.test('no range is added to a batch after its time limit', async (t) => {
  const { apply } = await open(t)
  t.equal(await apply({ bounds: { maxMs: 0 } }), 0)
})

const skip = serverUrl === null && 'PGlite has one connection'

t.test('a batch ends when another transaction waits for the apply lock', { skip }, async (t) => {
  const { db, apply } = await open(t)
  let waiting: Promise<void> | undefined
  const added = await apply({
    onOffer: async () => {
      waiting ??= db.transaction().execute(lockForApply)
      await waitUntil('it waits', () => isApplyAwaited(db))
    },
  })
  t.ok(added === 1 || added === 2, `${added} were added: those computed before the database answered that it waits`)
  await waiting
  t.notOk(await isApplyAwaited(db))
})
