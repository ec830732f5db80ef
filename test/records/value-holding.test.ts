import t from 'tap'
import type { HoldingRow } from '../../db/queries/portfolio/portfolio.ts'
import { profitOf, valueRow } from '../../records/value-holding.ts'

/** Of a token whose unit is worth 2 base units of the coin, which is worth 3 US dollars a whole one. */
const rowOf = (changes: Partial<HoldingRow>): HoldingRow => ({
  ...{ token_id: 1, token: '0x1', name: 'One', symbol: 'ONE', image_url: null, hidden: false, native_symbol: 'ETH' },
  ...{ realized: '0', realized_usd: '0', first_seen_at: 1, last_trade_at: 1, native_usd: '3' },
  ...{ reserve_quote: '2', reserve_token: '1', balance: '0', lot_tokens: '0', lot_cost: '0', lot_cost_usd: '0' },
  ...{ lot_cost_native: null, realized_native: null, quote: null, decimals: 18 },
  ...changes,
})
const COIN = 10n ** 18n
/** Of US dollars, which have 8 decimals. */
const dollars = (whole: number) => BigInt(whole) * 10n ** 8n
const coins = (whole: number) => String(BigInt(whole) * COIN)

for (const [what, row, native, usd] of [
  ['bought tokens', { balance: coins(10), lot_tokens: coins(10), lot_cost: coins(5), lot_cost_usd: '7' }, 15, 53],
  ['received tokens', { balance: coins(10) }, 0, 0],
  [
    'bought and received tokens',
    { balance: coins(10), lot_tokens: coins(4), lot_cost: coins(5), lot_cost_usd: '7' },
    3,
    17,
  ],
  [
    'the rest of bought tokens, of which half were given away',
    { balance: coins(5), lot_tokens: coins(10), lot_cost: coins(6), lot_cost_usd: '8' },
    7,
    26,
  ],
  ['a loss', { balance: coins(1), lot_tokens: coins(1), lot_cost: coins(9), lot_cost_usd: '7' }, -7, -1],
] as const) {
  t.test(`the unrealized profit of ${what} is computed in the coin and in US dollars`, async (t) => {
    const holding = rowOf(row)
    const profit = profitOf(holding, valueRow(holding))
    t.strictSame(profit, { quote: BigInt(native) * COIN, native: BigInt(native) * COIN, usd: dollars(usd) })
    const unpriced = rowOf({ ...row, native_usd: null })
    t.strictSame(
      profitOf(unpriced, valueRow(unpriced)),
      { quote: BigInt(native) * COIN, native: BigInt(native) * COIN, usd: null },
      'without a price',
    )
  })
}

t.test('of another quote asset, value and cost are converted each by its own time', async (t) => {
  // 2 dollars a token; 10 tokens bought for 10 dollars, worth 4 coins then and 10 coins now.
  const quote = { address: '0x2', symbol: 'USDC', decimals: 6, usd: '1.00000000', native: String(5n * 10n ** 35n) }
  const row = rowOf({
    ...{ balance: coins(10), lot_tokens: coins(10), reserve_quote: '2000000', reserve_token: coins(1), quote },
    ...{ lot_cost: '10000000', lot_cost_native: coins(4), lot_cost_usd: '10' },
  })
  const expected = { quote: 10_000_000n, native: 6n * COIN, usd: dollars(10) }
  t.strictSame(profitOf(row, valueRow(row)), expected)
  const unknown = { ...row, quote: { ...quote, usd: null, native: null } }
  t.strictSame(profitOf(unknown, valueRow(unknown)), { quote: 10_000_000n, native: null, usd: null })
})
