import t from 'tap'
import { Ledger } from './ledger.ts'

t.test('the last accepted value must be there', async (t) => {
  const ledger = new Ledger<string | null>()
  ledger.accept('a', 'first')
  ledger.accept('a', 'second')
  t.strictSame(ledger.compare('bio', new Map([['a', 'second']]), null), [])
  t.strictSame(ledger.compare('bio', new Map([['a', 'first']]), null), ['bio a: first, expected second'])
  t.strictSame(ledger.compare('bio', new Map(), null), ['bio a: null, expected second'])
})

t.test('a value without a response may be there or not', async (t) => {
  const ledger = new Ledger<boolean>()
  ledger.doubt('a', true)
  for (const value of [true, false]) t.strictSame(ledger.compare('like', new Map([['a', value]]), false), [])
  ledger.accept('b', true)
  ledger.doubt('b', false)
  for (const value of [true, false])
    t.strictSame(ledger.compare('like', new Map([['b', value]]), false), [], 'also instead of an accepted one')
  t.equal(ledger.certain, 0)
})

t.test('a value that nobody wrote is found', async (t) => {
  const ledger = new Ledger<boolean>()
  ledger.accept('a', false)
  const actual = new Map([
    ['a', true],
    ['b', true],
  ])
  t.strictSame(ledger.compare('follow', actual, false), [
    'follow a: true, expected false',
    'follow b: true, which nobody wrote',
  ])
})
