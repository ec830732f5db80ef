import t from 'tap'
import { type Address, parseEther } from 'viem'
import { addTrends, HALF_LIFE, NO_TREND, toTrendOrder, weighMinutes } from '../../../indexer/market/trend.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import type { Receipt } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startAudited } from '../fixtures/audited.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { Random } from '../fixtures/random.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const minute = (at: number, volume: bigint) => weighMinutes(new Map([[at * 60, volume]]))

t.test('a trend score does not depend on the order of summation, and halves with each half-life', async (t) => {
  const random = new Random(7)
  const parts = Array.from({ length: 500 }, () =>
    minute(29_000_000 + random.between(0, 200_000), BigInt(random.between(1, 2 ** 31)) ** 3n),
  )
  const sum = parts.reduce(addTrends, NO_TREND)
  const shuffled = parts.toSorted((a, b) => Number(a.sum % 1_009n) - Number(b.sum % 1_009n))
  t.strictSame(shuffled.reduce(addTrends, NO_TREND), sum)
  t.strictSame(addTrends(shuffled.slice(250).reduce(addTrends), shuffled.slice(0, 250).reduce(addTrends)), sum)
  t.ok(sum.sum % 2n === 1n, 'and is kept in one way')
  const less = parts.slice(1).reduce(addTrends, NO_TREND)
  t.strictSame(addTrends(sum, { ...parts[0]!, sum: -parts[0]!.sum }), less, 'what is taken off was never there')
  t.strictSame(addTrends(sum, { ...sum, sum: -sum.sum }), NO_TREND)
  t.equal(toTrendOrder(NO_TREND), Number.NEGATIVE_INFINITY)

  const one = 10n ** 18n
  t.equal(toTrendOrder(minute(0, one)), 0)
  for (const at of [1, 90, 179, 180, 29_123_457]) {
    const later = toTrendOrder(minute(at, one))
    t.ok(Math.abs(later - (at * 60) / HALF_LIFE) < 1e-10, `${at}`)
    t.ok(Math.abs(toTrendOrder(minute(at, 2n * one)) - later - 1) < 1e-10)
  }
})

t.test('two databases of a chain have identical trend scores, whatever the order of indexing', async (t) => {
  const audited = await startAudited(t)
  const { node, test, db, accounts, deployed, sync, expectFresh } = audited
  const act = makeActions(deployed)
  const traders = accounts.slice(1, 5)
  const [launch] = await node.run(act.launch(traders[0]!, 'ONE', 12_345_678_901n))
  const token = launchedToken(launch!)
  const random = new Random(11)
  const receipts: Receipt[] = []
  for (let left = 24; left > 0; left--) {
    await node.mine(random.between(60, 9_000))
    const value = parseEther('0.01') + BigInt(random.between(1, 2 ** 31)) ** 2n / 7n
    receipts.push(...(await node.run(act.buy(random.pick(traders), token, value))))
  }
  const scores = async (of: typeof db) =>
    (await of
      .selectFrom('readable_token_figures')
      .select(['token', 'trend', 'trend_sum', 'trend_exponent'])
      .execute()) as object[]

  // Newest first, one by one, and the launch last of all.
  for (const { transactionHash, from } of receipts.toReversed()) await sync(transactionHash, from as Address, 'buy')
  await indexToHead(db, test)
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  t.strictSame(await scores(db), await scores(fresh.db))
  t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [])

  await node.reorg(5, [{ action: act.buy(traders[1]!, token, 987_654_321n), block: 2 }])
  await expectFresh('after a reorg')
})
