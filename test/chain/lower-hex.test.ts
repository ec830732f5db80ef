import t from 'tap'
import { lowerHex } from '../../chain/rpc/lower-hex.ts'

t.test('every hex string of a response is lower-cased, at any depth, and nothing else', async (t) => {
  const response = {
    logs: [{ address: '0xAB', topics: ['0XCD'], removed: false }],
    logIndex: '0xF',
    text: 'A 0xAB',
    none: null,
  }
  t.equal(lowerHex(response), response, 'in place')
  t.strictSame(response, {
    logs: [{ address: '0xab', topics: ['0xcd'], removed: false }],
    logIndex: '0xf',
    text: 'A 0xAB',
    none: null,
  })
  for (const value of [7, true, null, undefined]) t.equal(lowerHex(value), value)
})
