import t from 'tap'
import { zeroAddress } from 'viem'
import { findPayer, Payments } from '../../venues/payments.ts'

const [pool, other] = ['0xa', '0xb']
const paid = (from: string, value: bigint) => ({ from, value })

t.test('payments into a pool are taken once', async (t) => {
  const payments = new Payments()
  payments.add(pool, paid('ann', 1n))
  payments.add(pool, paid('bob', 2n))
  payments.add(other, paid('ann', 3n))
  t.strictSame(payments.take(pool), [paid('ann', 1n), paid('bob', 2n)])
  t.strictSame(payments.take(pool), [])
  t.strictSame(payments.take(other), [paid('ann', 3n)], 'those into another pool are kept')
  payments.add(pool, paid('ann', 1n))
  payments.add(other, paid('ann', 1n))
  payments.clear()
  t.strictSame([payments.take(pool), payments.take(other)], [[], []])
})

t.test('transfers of nothing, mints and transfers of the pool to itself are no payments', async (t) => {
  const payments = new Payments()
  payments.add(pool, paid('ann', 0n))
  payments.add(pool, paid(zeroAddress, 1n))
  payments.add(pool, paid(pool, 1n))
  t.strictSame(payments.take(pool), [])
  payments.add(pool, paid(other, 1n))
  t.strictSame(payments.take(pool), [paid(other, 1n)], 'but those of another pool are')
})

t.test('the payer is the wallet that paid the most in all', async (t) => {
  const cases: [payments: [string, bigint][], payer: string | undefined][] = [
    [[], undefined],
    [[['ann', 1n]], 'ann'],
    [
      [
        ['ann', 1n],
        ['bob', 2n],
      ],
      'bob',
    ],
    [
      [
        ['ann', 2n],
        ['bob', 1n],
      ],
      'ann',
    ],
    [
      [
        ['ann', 2n],
        ['bob', 3n],
        ['ann', 2n],
      ],
      'ann',
    ],
    [
      [
        ['ann', 1n],
        ['ann', 1n],
      ],
      'ann',
    ],
    [
      [
        ['ann', 2n],
        ['bob', 2n],
      ],
      undefined,
    ],
    [
      [
        ['ann', 2n],
        ['bob', 2n],
        ['eve', 3n],
      ],
      'eve',
    ],
    [
      [
        ['eve', 3n],
        ['ann', 2n],
        ['bob', 2n],
      ],
      'eve',
    ],
    [
      [
        ['ann', 1n],
        ['bob', 2n],
        ['eve', 2n],
      ],
      undefined,
    ],
  ]
  for (const [payments, payer] of cases)
    t.equal(findPayer(payments.map(([from, value]) => paid(from, value))), payer, String(payments))
})
