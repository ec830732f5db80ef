import t from 'tap'
import type { TokenRow } from '../../../db/queries/tokens.ts'
import { formatCard, formatChange, formatPrice } from '../../../routes/og/format-card.ts'

/** The columns that a card reads. */
const row = {
  ...{ address: '0x01', name: 'Harbour\u0000 Cat', symbol: 'HCAT', status: 'curve', progress: '62.999999' },
  ...{ price: 0.00000003, price_h24: 0.00000002, market_cap: '30000000000000000000', quote_usd: '2000.00000000' },
} as unknown as TokenRow
const format = (change: Partial<TokenRow> = {}) => formatCard({ ...row, ...change }, [0, 100])

t.test('a card shows a price in USD and the market cap where the price of the native coin is known', (t) => {
  t.strictSame(format(), {
    ...{ kind: 'token', address: '0x01', name: 'Harbour Cat', symbol: 'HCAT', status: 'curve', progress: 62 },
    ...{ price: '$0.0₄6', marketCap: '$60K', change: '+50.00%', direction: 'up', sparkline: [0, 100] },
  })
  t.hasStrict(format({ quote_usd: null }), { price: '0.0₇3', marketCap: null })
  t.equal(format({ name: 'n'.repeat(65) }).name, `${'n'.repeat(63)}…`)
  t.equal(format({ symbol: 's'.repeat(15) }).symbol, `${'s'.repeat(13)}…`)
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
