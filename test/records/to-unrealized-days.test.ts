import t from 'tap'
import type { CloseRow, HeldLots, LotRow } from '../../db/queries/wallets/held-lots.ts'
import { toUnrealizedDays } from '../../records/wallets/to-unrealized-days.ts'

const DAY = 86_400
const NOW = { native: 5n, usd: null }
const lot = (changes: Partial<LotRow> = {}): LotRow => ({
  ...{ token_id: 1, day: 0, lot: '4000000', held: '4000000', gone: 0, cost_native: '1000000000000000000' },
  ...{ cost_usd: '2.5000000000000000', balance: '4000000' },
  ...changes,
})
/** Of a token with six decimals in another asset. */
const close = (changes: Partial<CloseRow> = {}): CloseRow => ({
  ...{ token_id: 1, day: 0, close: 2, close_native: 0.5, close_usd: 3, decimals: 6, is_native: false },
  ...changes,
})
const held = (changes: Partial<HeldLots>): HeldLots => ({
  days: [0, 1].map((index) => ({ day: index * DAY, last_block: index, native_usd: '10.00000000' })),
  ...{ today: 2 * DAY, isTruncated: false, lots: [lot()], closes: [close()] },
  ...changes,
})
const COIN = 10n ** 18n

for (const [what, changes, first, second] of [
  ['is of the closes in both currencies, which hold until the next ones', {}, [COIN, 9.5], [COIN, 9.5]],
  [
    'follows the closes',
    { closes: [close(), close({ day: DAY, close_native: 1, close_usd: 1 })] },
    [COIN, 9.5],
    [3n * COIN, 1.5],
  ],
  [
    'takes the day’s price of the native coin for tokens in native coin',
    { closes: [close({ is_native: true, close_native: null, close_usd: null })] },
    [7n * COIN, 77.5],
    [7n * COIN, 77.5],
  ],
  ['is null without a price', { closes: [close({ close_native: null, close_usd: null })] }, [null, null], [null, null]],
  [
    'is null after a sale without a price',
    { lots: [lot(), lot({ day: 1, cost_native: null, cost_usd: null })] },
    [COIN, 9.5],
    [null, null],
  ],
  [
    'is null in US dollars without a price of the native coin',
    {
      days: [
        { day: 0, last_block: 1, native_usd: null },
        { day: DAY, last_block: 1, native_usd: '1' },
      ],
    },
    [COIN, null],
    [COIN, 9.5],
  ],
  [
    'is nothing after all is sold',
    { lots: [lot(), lot({ day: 1, lot: '0', held: '0', balance: '0' })] },
    [COIN, 9.5],
    [0n, 0],
  ],
  [
    'is that of the rest after tokens were sent on',
    { lots: [lot({ balance: '1000000' }), lot({ day: 1, held: '1000000', gone: 1, balance: '1000000' })] },
    [COIN, 9.5],
    [COIN / 4n, 2.375],
  ],
  [
    'is null after tokens were sent on by a wallet that has received some',
    { lots: [lot({ balance: '2000000' }), lot({ day: 1, held: '1000000', gone: 1, balance: '2000000' })] },
    [COIN, 9.5],
    [null, null],
  ],
  [
    'is null if the wallet has less than its trades say',
    { lots: [lot({ balance: '3999999' })] },
    [null, null],
    [null, null],
  ],
  ['is null if not all was read', { lots: null }, [null, null], [null, null]],
] as const) {
  t.test(`the unrealized profit of a day ${what}`, async (t) => {
    const shown = ([native, usd]: readonly [bigint | null, number | null]) => ({
      native: native?.toString() ?? null,
      usd,
    })
    t.strictSame(toUnrealizedDays(held(changes as Partial<HeldLots>), NOW), [
      { date: '1970-01-01T00:00:00.000Z', ...shown(first) },
      { date: '1970-01-02T00:00:00.000Z', ...shown(second) },
      { date: '1970-01-03T00:00:00.000Z', native: '5', usd: null },
    ])
  })
}
