import t from 'tap'
import { formatUsd, nativeToUsd, parseUsd, ratioToNumber, subtract, usdToNumber } from '../../chain/amounts.ts'
import {
  clampTime,
  dropLongUri,
  MAX_TIME,
  requireAmounts,
  requireBps,
  requireCount,
  truncateText,
  validUsdOrNull,
} from '../../chain/bounds.ts'
import { creatorFeeOf } from '../../chain/creator-fees.ts'
import { valueHolding } from '../../chain/holding.ts'

t.test('ratios of any size are floats', async (t) => {
  const cases: [numerator: bigint, denominator: bigint, ratio: number][] = [
    [1n, 4n, 0.25],
    [0n, 4n, 0],
    [4n, 0n, 0],
    [10n ** 60n, 1n, 1e60],
    [1n, 10n ** 30n, 1e-30],
    [123_456_789_012_345_678n, 10n ** 36n, 1.2345678901234568e-19],
  ]
  for (const [numerator, denominator, ratio] of cases)
    t.ok(Math.abs(ratioToNumber(numerator, denominator) - ratio) <= ratio * 1e-15, `${numerator} / ${denominator}`)
  t.equal(ratioToNumber(3n, 7n * 10n ** 22n), 3 / 7e22, 'with all digits of a float')
})

t.test('USD has eight decimals', async (t) => {
  const cases: [text: string, usd: bigint][] = [
    ['3000.00000000', 300_000_000_000n],
    ['0.00000001', 1n],
    ['-0.50000000', -50_000_000n],
    ['-12.00000001', -1_200_000_001n],
    ['0.00000000', 0n],
  ]
  for (const [text, usd] of cases) t.strictSame([parseUsd(text), formatUsd(usd)], [usd, text])
  t.equal(parseUsd('5'), 500_000_000n)
  t.equal(parseUsd('5.1'), 510_000_000n)
  t.equal(parseUsd('0.123456789'), 12_345_678n, 'more are cut off')
  t.equal(nativeToUsd(3n * 10n ** 18n, 200n), 600n)
  t.equal(nativeToUsd(10n ** 18n - 1n, 200n), 199n, 'rounded down')
  t.equal(usdToNumber(250_000_000n), 2.5)
  t.strictSame([subtract(5n, 3n), subtract(3n, 3n), subtract(3n, 5n)], [2n, 0n, 0n])
})

t.test('values of contracts have bounds', async (t) => {
  t.equal(requireCount(2n ** 32n - 1n), 2n ** 32n - 1n)
  t.throws(() => requireCount(2n ** 32n), { message: '4294967296 is no count' })
  t.doesNotThrow(() => requireAmounts(0n, 2n ** 128n - 1n))
  t.throws(() => requireAmounts(0n, 2n ** 128n), RangeError)
  t.doesNotThrow(() => requireBps(4_000, 6_000))
  t.throws(() => requireBps(4_000, 6_001), { message: '10001 basis points are no share' })
  t.throws(() => requireBps(Number.NaN), RangeError)
  t.strictSame(
    [clampTime(MAX_TIME - 1n), clampTime(MAX_TIME), clampTime(MAX_TIME + 1n)],
    [MAX_TIME - 1n, MAX_TIME, MAX_TIME],
  )
  t.strictSame([-1n, 0n, 1n, 10n ** 23n, 10n ** 23n + 1n].map(validUsdOrNull), [null, null, 1n, 10n ** 23n, null])
})

t.test('long texts are truncated at a character, and a long URI is dropped', async (t) => {
  t.strictSame(
    ['abc', 'abcd', 'ab c', ' ab '].map((text) => truncateText(text, 3)),
    ['abc', 'abc', 'ab', ' ab'],
  )
  t.equal(truncateText('ab ', 3), 'ab ', 'a text that fits stays as it is')
  t.equal(truncateText('ab\u{1f600}', 3), 'ab')
  t.equal(truncateText('a\u{1f600}', 3), 'a\u{1f600}')
  t.equal(dropLongUri('u'.repeat(2_048)), 'u'.repeat(2_048))
  t.equal(dropLongUri('u'.repeat(2_049)), '')
})

t.test('the shares of a fee are rounded down, and the last one gets what is left', async (t) => {
  const share = (recipient: string, bps: number) => ({ recipient, bps })
  const shares = [share('ann', 3_333), share('bob', 3_333), share('ann', 3_334)]
  t.equal(creatorFeeOf('ann', 10n, shares), 7n)
  t.equal(creatorFeeOf('bob', 10n, shares), 3n)
  t.equal(creatorFeeOf('eve', 10n, shares), 0n)
  t.equal(creatorFeeOf('ann', 10n, [share('ann', 10_000)]), 10n)
  t.equal(creatorFeeOf('ann', 10n, []), 0n)
})

t.test('a holding carries the cost of the part that was bought', async (t) => {
  const value = (balance: bigint, tokens: bigint, reserves = { quote: 10n, token: 4n }) =>
    valueHolding({ balance, lot: { tokens, cost: 30n, costNative: 30n, costUsd: 60n }, reserves })
  t.strictSame(value(8n, 6n), {
    ...{ value: 20n, bought: 6n, received: 2n, cost: 30n, costNative: 30n, costUsd: 60n, boughtValue: 15n },
  })
  t.strictSame(value(4n, 6n), {
    ...{ value: 10n, bought: 4n, received: 0n, cost: 20n, costNative: 20n, costUsd: 40n, boughtValue: 10n },
  })
  t.strictSame(value(4n, 0n), {
    ...{ value: 10n, bought: 0n, received: 4n, cost: 0n, costNative: 0n, costUsd: 0n, boughtValue: 0n },
  })
  t.strictSame(value(4n, 4n, { quote: 10n, token: 0n }), {
    ...{ value: 0n, bought: 4n, received: 0n, cost: 30n, costNative: 30n, costUsd: 60n, boughtValue: 0n },
  })
})
