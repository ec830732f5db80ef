import fc from 'fast-check'
import t from 'tap'
import { formatRatio, toChangePercent, toPercent } from '../../chain/price.ts'

t.test('a ratio of any size has all its digits', async (t) => {
  const cases: [bigint, bigint, string | null][] = [
    [0n, 5n, '0'],
    [1n, 0n, null],
    [1n, 1n, '1'],
    [10n, 4n, '2.5'],
    [1n, 3n, '0.333333333333333333333333333333333333'],
    [2n, 3n, '0.666666666666666666666666666666666666'],
    [419n, 10n ** 10n, '0.0000000419'],
    [419_000_000_001n, 10n ** 19n, '0.0000000419000000001'],
    [10n ** 40n, 1n, `1${'0'.repeat(40)}`],
    [123n * 10n ** 40n + 7n, 10n ** 2n, `123${'0'.repeat(38)}`],
    [1n, 10n ** 60n, `0.${'0'.repeat(59)}1`],
  ]
  for (const [numerator, denominator, expected] of cases) {
    t.equal(formatRatio(numerator, denominator), expected, `${numerator} / ${denominator}`)
  }
})

t.test('the first price of a curve keeps the digits that a float would lose', async (t) => {
  t.equal(
    formatRatio(1333333333333333334n, 1066666666666666666666666667n),
    '0.00000000125000000000000000062499999960937499',
  )
})

t.test('a ratio is rounded down by less than one unit of its 36th digit', async () => {
  const positive = fc.bigInt({ min: 1n, max: 2n ** 112n })
  fc.assert(
    fc.property(positive, positive, (numerator, denominator) => {
      const text = formatRatio(numerator, denominator) as string
      const [whole = '', fraction = ''] = text.split('.')
      const digits = BigInt(whole + fraction)
      const scale = 10n ** BigInt(fraction.length)
      const below = numerator * scale - digits * denominator
      const significant = digits.toString().length
      const unit = significant < 36 ? 10n ** BigInt(36 - significant) : 1n
      return /^\d+(\.\d*[1-9])?$/.test(text) && below >= 0n && below * unit < denominator * 10n
    }),
  )
})

t.test('shares and changes are percentages with six decimals, or null without a base', async (t) => {
  t.equal(toPercent(1n, 3n), 33.333333)
  t.equal(toPercent(3n, 3n), 100)
  t.equal(toPercent(1n, 0n), null)
  t.equal(toChangePercent(1.5, 1), 50)
  t.equal(toChangePercent(1, 3), -66.666667)
  t.equal(toChangePercent(1, 0), null)
  t.equal(toChangePercent(1, null), null)
})
