import t from 'tap'
import type { TraderRow } from '../../../db/queries/forensics/top-traders.ts'
import type { TokenRow } from '../../../db/queries/tokens.ts'
import { formatCard, formatChange, formatPrice, formatProfit } from '../../../routes/og/format-card.ts'

/** The columns that a card reads. */
const row = {
  ...{
    address: '0x01',
    name: 'Harbour\u0000 Cat',
    symbol: 'HCAT',
    status: 'curve',
    lifecycle: 'curve',
    progress: '62.999999',
  },
  ...{ price: 0.00000003, price_h24: 0.00000002, native_usd: '2000.00000000', native_symbol: 'ETH', quote: null },
  // A thousand million tokens at 0.00000003: a market cap of 30.
  ...{ virtual_quote: '3', virtual_token: '100000000', real_quote: '0', total_supply: '1000000000000000000000000000' },
} as unknown as TokenRow
const format = (change: Partial<TokenRow> = {}) => formatCard({ ...row, ...change }, [0, 100])

t.test('a card shows a price in USD and the market cap where the price of the native coin is known', (t) => {
  t.strictSame(format(), {
    ...{ kind: 'token', address: '0x01', name: 'Harbour Cat', symbol: 'HCAT' },
    ...{ status: 'curve', lifecycle: 'curve', progress: 62 },
    ...{ price: '$0.0₄6', marketCap: '$60K', change: '+50.00%', quote: 'ETH', direction: 'up', sparkline: [0, 100] },
  })
  t.hasStrict(format({ native_usd: null }), { price: '0.0₇3', marketCap: null })
  t.equal(format({ name: 'n'.repeat(65) }).name, `${'n'.repeat(63)}…`)
  t.equal(format({ symbol: 's'.repeat(15) }).symbol, `${'s'.repeat(13)}…`)
  t.end()
})

t.test('a profit is that of sales and of what is held, in the quote asset', (t) => {
  // Half of what was bought for 4 is sold for 3; the rest is worth 2.5.
  const trader = {
    ...{ wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', balance: '50', bought: '100', sold: '50' },
    ...{ spent: '4000000', proceeds: '3000000', realized: '1000000', realized_usd: '1', realized_native: null },
    ...{ lot_tokens: '50', lot_cost: '2000000', lot_cost_usd: '2', lot_cost_native: null },
    ...{ reserve_quote: '5000000', reserve_token: '100', native_usd: null, native_symbol: 'ETH' },
    quote: { address: '0x02', symbol: 'USDC', decimals: 6, native: null, usd: '1' },
  } as unknown as TraderRow
  const profit = (change: Partial<TraderRow> = {}, name: string | null = null) =>
    formatProfit(row, { ...trader, ...change }, name)
  t.strictSame(profit(), {
    ...{ kind: 'profit', address: '0x01', name: 'Harbour Cat', symbol: 'HCAT', status: 'curve', lifecycle: 'curve' },
    ...{ trader: '0x3c44…93bc', unit: 'USDC', profit: '+1.50', change: '+37.50%', direction: 'up' },
    ...{ bought: '4.00', sold: '3.00', held: '2.50' },
  })
  t.equal(profit({}, 'captain').trader, 'captain')
  // Of the 50 that are left of the purchases, 20 were sent on, or 30 more were received: sold + holding - bought is the profit.
  t.hasStrict(profit({ balance: '30' }), { profit: '+1.30', change: '+40.63%' }, 'tokens sent on')
  t.hasStrict(profit({ balance: '30' }), { bought: '3.20', sold: '3.00', held: '1.50' }, 'without their cost')
  t.hasStrict(profit({ balance: '80', sold: '90', proceeds: '5400000' }), {
    ...{ profit: '+1.50', change: '+37.50%' },
    ...{ bought: '4.00', sold: '3.00', held: '2.50' },
  })
  t.hasStrict(profit({ realized: '-1500000' }), { profit: '−1.00', change: '−25.00%', direction: 'down' })
  t.hasStrict(profit({ realized: '-500000' }), { profit: '0', change: '0.00%', direction: 'flat' })
  const received = { spent: '0', realized: '0', lot_tokens: '0', lot_cost: '0' }
  t.hasStrict(profit(received), { change: null, bought: '0', sold: '0', held: '0' }, 'of received tokens alone')
  const native = { spent: '4000000000000000000', quote: null } as const
  t.hasStrict(profit(native), { unit: 'ETH', bought: '4.00' })
  const dollars = JSON.stringify(profit({ ...native, native_usd: '2000' }))
  t.equal(dollars, JSON.stringify(profit(native)), 'a rate of today changes no figure')
  t.end()
})

t.test('the direction of a card is of the change that it shows', (t) => {
  const change = (percent: number) => {
    const { change, direction } = format({ price: 1 + percent / 100, price_h24: 1 })
    return [change, direction]
  }
  t.strictSame(change(0), ['0.00%', 'flat'])
  t.strictSame(change(0.0049), ['0.00%', 'flat'])
  t.strictSame(change(-0.0049), ['0.00%', 'flat'])
  t.strictSame(change(0.005), ['+0.01%', 'up'])
  t.strictSame(change(-0.006), ['−0.01%', 'down'])
  t.hasStrict(format({ price_h24: 0 }), { change: '0.00%', direction: 'flat' }, 'of a token without a price then')
  t.end()
})

t.test('prices have three or four digits', (t) => {
  const cases: [price: number, text: string][] = [
    [999_999, '999,999.00'],
    [1_000_000, '1M'],
    [0.1, '0.1'],
    [0.0001, '0.0001'],
    [0.00001, '0.0₄1'],
    [0.12, '0.12'],
    [-1, '0'],
    [Number.NaN, '0'],
  ]
  for (const [price, text] of cases) t.equal(formatPrice(price), text, String(price))
  t.end()
})

t.test('changes have two decimals below a thousand percent, and three digits from 100,000 on', (t) => {
  const cases: [percent: number, text: string][] = [
    [0.005, '+0.01%'],
    [-0.0049, '0.00%'],
    [999.99, '+999.99%'],
    [1_000, '+1,000%'],
    [99_999, '+99,999%'],
    [100_000, '+100K%'],
    [-100_000, '−100K%'],
  ]
  for (const [percent, text] of cases) t.equal(formatChange(percent), text, String(percent))
  t.end()
})
