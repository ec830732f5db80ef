import t from 'tap'
import {
  changeOf,
  countOf,
  formatAmount,
  formatChange,
  formatPercent,
  formatPrice,
  formatPriceTicks,
  formatUsd,
  readAmount,
} from '../../sdk/src/helpers/index.ts'

const coin = { symbol: 'ETH', decimals: 18 }

for (const [text, base] of [
  ['1', 10n ** 18n],
  [' 2.5 ', 25n * 10n ** 17n],
  ['1,5', 15n * 10n ** 17n],
  ['0,125', 125n * 10n ** 15n],
  ['.5', 5n * 10n ** 17n],
  ['1,0000', 10n ** 18n],
  ['0.000000000000000001', 1n],
] as const) {
  t.test(`"${text}" is an amount`, async (t) => {
    t.same(readAmount(text, coin), { amount: base, problem: null })
  })
}

for (const [text, problem] of [
  ['1,000', 'Write 1000 without commas, or use a decimal point.'],
  ['12,500', 'Write 12500 without commas, or use a decimal point.'],
  ['1,000,000', 'Write 1000000 without commas, or use a decimal point.'],
  ['1,234.56', '“1,234.56” is not a number. Enter one such as 0.5.'],
  ['1.2.3', '“1.2.3” is not a number. Enter one such as 0.5.'],
  ['1e3', '“1e3” is not a number. Enter one such as 0.5.'],
  ['0x10', '“0x10” is not a number. Enter one such as 0.5.'],
  ['ten', '“ten” is not a number. Enter one such as 0.5.'],
  ['-1', 'An amount cannot be negative.'],
  ['0', 'Enter an amount above zero.'],
  ['0.0', 'Enter an amount above zero.'],
  ['.', 'Enter a number, such as 0.5.'],
  ['0.0000000000000000019', 'ETH has at most 18 decimals.'],
  ['9'.repeat(31), 'This amount is too large.'],
  ['', null],
] as const) {
  t.test(`"${text}" is not an amount: ${problem}`, async (t) => {
    const read = readAmount(text, coin)
    t.equal(read.amount, null)
    t.equal(read.problem, problem)
  })
}

t.test('an amount above the balance is returned with a problem', async (t) => {
  const balance = 15n * 10n ** 17n
  t.same(readAmount('2', coin, balance), { amount: 2n * 10n ** 18n, problem: 'You have 1.5 ETH, less than this.' })
  t.equal(readAmount('1.5', coin, balance).problem, null)
  t.not(readAmount('1.500000000000000001', coin, balance).problem, null)
})

t.test('a formatted amount is never parsed as another amount', async (t) => {
  for (const whole of [1n, 12n, 999n, 1_000n, 1_234n, 12_345n, 99_999n]) {
    const amount = whole * 10n ** 18n
    const { amount: read } = readAmount(formatAmount(amount), coin)
    t.ok(read === null || read === amount, formatAmount(amount))
  }
})

t.test('numbers are formatted with bounded length and the noun that they count', async (t) => {
  for (const [shown, text] of [
    [formatChange(1_610.4), '+1,610%'],
    [formatChange(-99.994), '−99.99%'],
    [formatChange(16_123_456), '+>999,999%'],
    [formatPercent(1e12), '>999,999%'],
    [formatPercent(12.34), '12.3%'],
    [formatUsd(1.234e26), '$1.2e26'],
    [formatUsd(-987_654.321), '−$988K'],
    [countOf(1, 'like'), '1 like'],
    [countOf(2, 'like'), '2 likes'],
    [countOf(0, 'wallet'), '0 wallets'],
  ])
    t.equal(shown, text)
  t.equal(changeOf('0.5', '0.75'), 50)
  t.equal(changeOf('0', '1'), null)
})

t.test('zero on a price axis is shown as 0 despite rounding errors', async (t) => {
  t.same(formatPriceTicks([6.776e-21, 0.00002, 0.00004]), ['0', '0.0₄2', '0.0₄4'])
  t.same(formatPriceTicks([4.19e-19, 8.38e-19]), ['0.0₁₈419', '0.0₁₈838'], 'small prices are prices')
})

t.test('small prices have a subscript count of zeros, large ones a letter, and unknown ones a dash', async (t) => {
  for (const [price, text] of [
    [0.0000012, '0.0₅12'],
    [0.00012, '0.00012'],
    [1e-19, '0.0₁₈1'],
    [0.9999999, '1.00'],
    [12.345, '12.35'],
    [123_456, '123K'],
    [0, '0'],
    [null, '–'],
  ] as const)
    t.equal(formatPrice(price), text)
})
