import t from 'tap'
import { encodeAbiParameters, getAddress, type Hex, stringToHex } from 'viem'
import {
  type AbiType,
  type AbiValue,
  decodeArray,
  decodeValues,
  encodeCall,
} from '../../sdk/src/transactions/abi-codec.ts'

const SELECTOR = '0x12345678'
const address = getAddress(`0x${'ab'.repeat(20)}`)
const bytes32 = `0x${'Cd'.repeat(32)}` as Hex
const word = (number: number | bigint) => BigInt(number).toString(16).padStart(64, '0')
const encode = (types: AbiType[], values: AbiValue[]) => encodeCall([SELECTOR, ...types], values)

/** The same by viem, for types without structs. */
const expected = (types: string[], values: unknown[]) =>
  SELECTOR +
  encodeAbiParameters(
    types.map((type) => ({ type })),
    values as never,
  )
    .slice(2)
    .toLowerCase()

t.test('values are encoded as viem does', async (t) => {
  const cases: [types: string[], values: AbiValue[]][] = [
    [[], []],
    [['uint256'], [2n ** 256n - 1n]],
    [
      ['uint8', 'uint16', 'bool', 'bool'],
      [255n, 0n, true, false],
    ],
    [
      ['address', 'bytes32'],
      [address, bytes32],
    ],
    [['string'], ['']],
    [['string'], ['a'.repeat(31)]],
    [['string'], ['a'.repeat(32)]],
    [['string'], ['a'.repeat(33)]],
    [
      ['string', 'uint256', 'string'],
      ['Häfen ⚓', 7n, 'two'],
    ],
    [
      ['address[]', 'uint16[]', 'uint256'],
      [[address, address], [], 9n],
    ],
    [
      ['string[]', 'bool'],
      [['one', 'two'], true],
    ],
  ]
  for (const [types, values] of cases) t.equal(encode(types, values), expected(types, values), types.join())
})

t.test('a struct is dynamic if one of its members is', async (t) => {
  t.equal(encode([['uint8', 'bool'], 'uint8'], [[1n, true], 2n]), SELECTOR + word(1) + word(1) + word(2))
  const text = word(1) + stringToHex('x').slice(2).padEnd(64, '0')
  t.equal(encode([['uint8', 'bool'], 'string'], [[1n, true], 'x']), SELECTOR + word(1) + word(1) + word(0x60) + text)
  t.equal(
    encode([['uint8', 'string'], 'uint8'], [[1n, 'x'], 2n]),
    SELECTOR + word(0x40) + word(2) + word(1) + word(0x40) + text,
  )
})

t.test('a value that its type cannot hold is rejected', async (t) => {
  const rejected: [type: string, value: AbiValue, error: { name: string; message?: string }][] = [
    ['uint8', 256n, { name: 'RangeError', message: '256 does not fit uint8' }],
    ['uint256', 2n ** 256n, { name: 'RangeError' }],
    ['uint8', -1n, { name: 'RangeError' }],
    ['address', '0x12', { name: 'TypeError', message: 'Not an address: 0x12' }],
    ['bytes32', '0x12', { name: 'TypeError', message: 'Not 32 bytes: 0x12' }],
    ['bytes32', 5n, { name: 'TypeError' }],
    ['bytes32', `${bytes32}00`, { name: 'TypeError' }],
    ['int8', 5n, { name: 'TypeError', message: 'int8 is not supported' }],
    ['bytes', '0x', { name: 'TypeError', message: 'bytes is not supported' }],
  ]
  for (const [type, value, error] of rejected) t.throws(() => encode([type], [value]), error, `${type} ${value}`)
  t.equal(encode(['uint8'], [255n]), SELECTOR + word(255))
  t.throws(() => encode(['uint8'], []), { name: 'TypeError', message: 'Expected 1 values, got 0' })
})

t.test('values are decoded, and data that are too short are undefined', async (t) => {
  const types = ['address', 'bool', 'bool', 'uint8', 'bytes32', 'string', 'string']
  const values = [address.toLowerCase(), true, false, 7, bytes32.toLowerCase(), 'Häfen', '']
  const data = encodeAbiParameters(
    types.map((type) => ({ type })),
    values as never,
  ).slice(2)
  t.strictSame(
    decodeValues(types, data),
    values.map((value) => (value === 7 ? 7n : value)),
  )
  t.equal(decodeValues(types, data.slice(0, -64)), undefined, 'without the length of the last text')
  t.strictSame(decodeValues([], ''), [])
  t.equal(decodeValues(['uint8'], word(1).slice(1)), undefined)
  t.strictSame(decodeValues(['bool'], word(2)), [true])
  const cut = `${word(32)}${word(3)}4142`
  t.equal(decodeValues(['string'], cut), undefined)
  t.strictSame(decodeValues(['string'], `${cut}43`), ['ABC'])
  t.equal(decodeValues(['string'], word(2n ** 255n)), undefined, 'an offset out of the data')
})

t.test('an array is decoded at its offset', async (t) => {
  t.strictSame(decodeArray('uint256', 0, word(32) + word(2) + word(8) + word(9)), [8n, 9n])
  t.strictSame(decodeArray('uint256', 1, word(5) + word(64) + word(2) + word(8) + word(9)), [8n, 9n])
  t.strictSame(decodeArray('address', 0, word(32) + word(1) + word(BigInt(address))), [address.toLowerCase()])
  t.strictSame(decodeArray('uint256', 0, word(32) + word(0)), [])
  t.equal(decodeArray('uint256', 0, word(32) + word(2) + word(1)), undefined, 'an item is missing')
  t.equal(decodeArray('uint256', 0, word(32) + word(2n ** 40n)), undefined, 'a forged length')
  t.equal(decodeArray('uint256', 0, word(64)), undefined)
  t.equal(decodeArray('uint256', 0, ''), undefined)
})
