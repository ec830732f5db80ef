import t from 'tap'
import { formatAmount, parseAmount } from '../../web/src/lib/amounts.ts'

for (const [text, base] of [
  ['1', 10n ** 18n],
  [' 2.5 ', 25n * 10n ** 17n],
  ['1,5', 15n * 10n ** 17n],
  ['0,125', 125n * 10n ** 15n],
  ['.5', 5n * 10n ** 17n],
  ['1,0000', 10n ** 18n],
  ['0.0000000000000000019', 1n],
] as const) {
  t.test(`"${text}" is an amount`, async (t) => {
    t.equal(parseAmount(text), base)
  })
}

for (const text of ['1,000', '12,500', '1,000,000', '1,234.56', '1.2.3', '1e3', '-1', '0', '0x10', '', 'ten']) {
  t.test(`"${text}" is none`, async (t) => {
    t.equal(parseAmount(text), null)
  })
}

t.test('what the page shows is never read as another amount', async (t) => {
  for (const whole of [1n, 12n, 999n, 1_000n, 1_234n, 12_345n, 99_999n]) {
    const amount = whole * 10n ** 18n
    const read = parseAmount(formatAmount(amount))
    t.ok(read === null || read === amount, formatAmount(amount))
  }
})
