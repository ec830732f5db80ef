import t, { type Test } from 'tap'
import { isApplyAwaited, lockForApply } from '../../db/apply-lock.ts'
import type { Db } from '../../db/client.ts'
import { applyBatch } from '../../indexer/engine/apply.ts'
import type { Block } from '../../indexer/engine/batch.ts'
import { readBlocks } from '../../indexer/engine/blocks.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { decodeAhead } from '../../indexer/engine/decode.ts'
import type { FetchedRange } from '../../indexer/engine/ranges-ahead.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase, serverUrl } from '../support/database.ts'
import { indexToHead, waitUntil } from './fixtures/indexing.ts'
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
  /** Offered one after another. Default: all but the first range. */
  offers?: readonly FetchedRange[]
  /** Called before each offer. */
  onOffer?: (index: number) => Promise<void>
  maxPendingRows?: number
}

interface Opened {
  db: Db
  /** Each block as a range; the last one reaches the checkpoint of the reference. */
  ranges: FetchedRange[]
  /** Applies the first range, and offers others. Returns the number of those that were added. */
  apply(given?: Offers): Promise<number>
}

async function open(t: Test): Promise<Opened> {
  const { db } = await createTestDatabase(t)
  const contracts = await prepareChainState(db, test.chain, test.contracts, config)
  const ranges: FetchedRange[] = []
  for (const [index, block] of blocks.entries()) {
    const isLast = index === blocks.length - 1
    const to = await test.chain.getHeader(isLast ? state.checkpoint_number : block.number)
    const decoded = await decodeAhead(db, contracts, [block], blocks.slice(0, index))
    ranges.push({ blocks: [block], to: to!, quoteUsd: block.quoteUsd, decoded })
  }
  const apply = async ({ offers = ranges.slice(1), onOffer = async () => {}, maxPendingRows }: Offers = {}) => {
    const [first] = ranges as [FetchedRange]
    const { checkpoint_number: from } = await db.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
    const head = { number: state.head_number, time: state.head_time }
    const { to, quoteUsd, decoded } = first
    const advance = { from, to, head, finalized: state.finalized_number, quoteUsd }
    let added = 0
    const { advance: reached } = await db.transaction().execute((trx) =>
      applyBatch(
        trx,
        { blocks: first.blocks, advance },
        {
          decoded,
          more: {
            ...(maxPendingRows !== undefined && { maxPendingRows }),
            takeRange: async (accepts) => {
              await onOffer(added)
              const offer = offers[added]
              if (!offer || !accepts(offer)) return undefined
              added += 1
              return offer
            },
          },
        },
      ),
    )
    const last = added === 0 ? first : offers[added - 1]!
    const { checkpoint_number } = await db.selectFrom('chain_state').selectAll().executeTakeFirstOrThrow()
    t.equal(checkpoint_number, last.to.number, 'the checkpoint is at the last range added')
    t.equal(reached?.to.number, last.to.number)
    return added
  }
  return { db, ranges, apply }
}

t.test('ranges that are added to a batch leave the same rows as batches of their own', async (t) => {
  const { db, ranges, apply } = await open(t)
  t.equal(await apply(), ranges.length - 1)
  t.strictSame(diffTables(await readTables(db), expected), [])
})

t.test('only a range that its own events explain is added', async (t) => {
  const changed = (change: (range: FetchedRange) => FetchedRange) => async (t: Test) => {
    const { ranges, apply } = await open(t)
    t.equal(await apply({ offers: [ranges[1]!, change(ranges[2]!)] }), 1)
  }
  const withFirst = (range: FetchedRange, block: Partial<Block>): FetchedRange => ({
    ...range,
    blocks: [{ ...range.blocks[0]!, ...block }],
  })
  await t.test(
    'not one that was not decoded',
    changed((range) => ({ ...range, decoded: undefined })),
  )
  await t.test(
    'not one that was decoded before an undo',
    changed((range) => ({ ...range, decoded: { ...range.decoded!, undoCount: 7 } })),
  )
  await t.test('not one of another branch', async (t) => {
    const { ranges, apply } = await open(t)
    const [, second, third] = ranges as [FetchedRange, FetchedRange, FetchedRange]
    const next = { number: second.to.number + 1 }
    const child = withFirst(third, { ...next, parentHash: second.to.hash })
    t.equal(await apply({ offers: [second, child] }), 2, 'its child is added')
    const other = await open(t)
    const stranger = withFirst(third, { ...next, parentHash: third.to.hash })
    t.equal(await other.apply({ offers: [second, stranger] }), 1)
  })
  await t.test('not one with a stored block', async (t) => {
    const { db, ranges, apply } = await open(t)
    // As a receipt sync stores a block.
    await db.transaction().execute((trx) => applyBatch(trx, { blocks: ranges[3]!.blocks, advance: null }))
    t.equal(await apply(), 2)
  })
})

t.test('a batch ends when many rows wait for its end', async (t) => {
  const { ranges, apply } = await open(t)
  const added = await apply({ maxPendingRows: 10 })
  t.ok(added > 0 && added < ranges.length - 1, `${added} of ${ranges.length - 1} were added`)
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
  t.equal(added, 2, 'the second was being computed when the first one was written')
  await waiting
  t.notOk(await isApplyAwaited(db))
})
