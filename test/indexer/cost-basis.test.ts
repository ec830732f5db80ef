import t from 'tap'
import { applyTradeToLot, EMPTY_LOT, type Lot } from '../../indexer/market/cost-basis.ts'

const buy = (tokenAmount: bigint, quoteAmount: bigint, valueUsd: bigint | null = quoteAmount * 3n) =>
  ({ side: 'buy', tokenAmount, quoteAmount, valueUsd, valueNative: quoteAmount, isNative: true }) as const
const sell = (tokenAmount: bigint, quoteAmount: bigint, valueUsd: bigint | null = quoteAmount * 3n) =>
  ({ side: 'sell', tokenAmount, quoteAmount, valueUsd, valueNative: quoteAmount, isNative: true }) as const

t.test('purchases add up, and a sale takes its share of their average cost', async (t) => {
  const first = applyTradeToLot(EMPTY_LOT, buy(100n, 1_000n))
  const second = applyTradeToLot(first.lot, buy(100n, 3_000n))
  t.same(second, { lot: { tokens: 200n, cost: 4_000n, costNative: 4_000n, costUsd: 12_000n }, profit: null })
  const sold = applyTradeToLot(second.lot, sell(50n, 1_500n))
  t.same(sold.profit, { quote: 500n, native: 500n, usd: 1_500n }, '1,500 for what cost 20 each')
  t.same(sold.lot, { tokens: 150n, cost: 3_000n, costNative: 3_000n, costUsd: 9_000n })
})

t.test('a sale below cost is a loss', async (t) => {
  const { lot } = applyTradeToLot(EMPTY_LOT, buy(10n, 1_000n))
  t.same(applyTradeToLot(lot, sell(10n, 400n)).profit, { quote: -600n, native: -600n, usd: -1_800n })
})

t.test('a sale of tokens received by transfer has no profit', async (t) => {
  t.same(applyTradeToLot(EMPTY_LOT, sell(10n, 400n)), { lot: EMPTY_LOT, profit: { quote: 0n, native: 0n, usd: 0n } })
  const { lot } = applyTradeToLot(EMPTY_LOT, buy(10n, 100n))
  const mixed = applyTradeToLot(lot, sell(40n, 1_000n))
  t.same(
    mixed.profit,
    { quote: 150n, native: 150n, usd: 450n },
    'a quarter of the proceeds is for the ten that were bought',
  )
  t.same(mixed.lot, EMPTY_LOT)
})

t.test('the costs of the parts of a lot add up to its whole cost despite rounding', async (t) => {
  let lot: Lot = { tokens: 7n, cost: 100n, costNative: 100n, costUsd: 100n }
  let cost = 0n
  for (let part = 0; part < 7; part++) {
    const traded = applyTradeToLot(lot, sell(1n, 0n))
    cost -= traded.profit?.native ?? 0n
    lot = traded.lot
  }
  t.equal(cost, 100n)
  t.same(lot, EMPTY_LOT)
})

t.test('a purchase without a USD price has no USD cost, so the USD proceeds are all profit', async (t) => {
  const { lot } = applyTradeToLot(EMPTY_LOT, buy(10n, 100n, null))
  t.same(applyTradeToLot(lot, sell(10n, 150n, 450n)).profit, { quote: 50n, native: 50n, usd: 450n })
})

t.test(
  'of another quote asset, the cost and profit in native coin are by the values at the times of the trades',
  async (t) => {
    const quoted = { isNative: false } as const
    const bought = applyTradeToLot(EMPTY_LOT, { ...buy(10n, 1_000n), ...quoted, valueNative: 500n })
    t.match(bought.lot, { cost: 1_000n, costNative: 500n })
    const sold = applyTradeToLot(bought.lot, { ...sell(5n, 500n), ...quoted, valueNative: 125n })
    t.match(sold.profit, { quote: 0n, native: -125n }, 'the asset has lost half of its value')
    t.match(sold.lot, { tokens: 5n, cost: 500n, costNative: 250n })
    for (const valueNative of [null, 0n]) {
      const unvalued = applyTradeToLot(sold.lot, { ...sell(5n, 500n), ...quoted, valueNative })
      t.match(unvalued.profit, { quote: 0n, native: 0n }, 'its value is unknown, read or replayed, and no loss')
      t.match(unvalued.lot, EMPTY_LOT)
    }
    const given = applyTradeToLot(sold.lot, { ...sell(5n, 0n), ...quoted, valueNative: 0n })
    t.match(given.profit, { quote: -500n, native: -250n }, 'sold for nothing')
  },
)

t.test('a sale without a USD price earns nothing in USD, and its share of the cost leaves the lot', async (t) => {
  const { lot } = applyTradeToLot(EMPTY_LOT, buy(10n, 100n))
  const sold = applyTradeToLot(lot, sell(4n, 60n, null))
  t.same(sold.profit, { quote: 20n, native: 20n, usd: 0n })
  t.same(sold.lot, { tokens: 6n, cost: 60n, costNative: 60n, costUsd: 180n })
  t.same(applyTradeToLot(sold.lot, sell(6n, 60n)).profit, { quote: 0n, native: 0n, usd: 0n }, 'at cost')
})
