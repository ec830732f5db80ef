import t from 'tap'
import { Bloom } from '../../chain/logs/bloom.ts'
import { equals, skipSpace, skipText, skipTexts, skipValue, UNFINISHED } from '../../chain/logs/json-bytes.ts'

const bytes = (text: string) => Buffer.from(text)

t.test('the end of a JSON value is found, unless it is incomplete', async (t) => {
  const complete = [
    ...['"a"', '""', '"a\\"b"', '"a\\\\"', '"{["', '{}', '[]', '{"a":[1,{"b":"}"}]}', '[[],[]]', '{"a":"\\"}"}'],
    ...['[ 1 , 2 ]', '[true,null]', '{"a":1}'],
  ]
  for (const value of complete) {
    t.equal(skipValue(bytes(value), 0), value.length, value)
    t.equal(skipValue(bytes(`x${value},1`), 1), value.length + 1, `${value} within another`)
    for (let end = 1; end < value.length; end++)
      t.equal(skipValue(bytes(value).subarray(0, end), 0), UNFINISHED, value.slice(0, end))
  }
  for (const value of ['12', 'true', 'null', '-1.5e3', '0'])
    for (const end of [',', '}', ']', ' ', '\n']) t.equal(skipValue(bytes(value + end), 0), value.length, value + end)
  t.equal(skipValue(bytes('12'), 0), UNFINISHED, 'more digits may follow')
  t.equal(skipValue(bytes(''), 0), UNFINISHED)
  t.equal(skipValue(bytes('"a\\'), 0), UNFINISHED)
  t.equal(skipValue(bytes('"a\\"'), 0), UNFINISHED)
})

t.test('texts of a known length are skipped, and others by their quotes', async (t) => {
  t.equal(skipText(bytes('"abc",'), 0, 3), 5)
  t.equal(skipText(bytes('x"abc"'), 1, 3), 6)
  t.equal(skipText(bytes('"ab",'), 0, 3), 4)
  t.equal(skipText(bytes('"abcd",'), 0, 3), 6)
  t.equal(skipText(bytes('null,"'), 0, 4), 4)
  t.equal(skipText(bytes('"ab'), 0, 3), UNFINISHED)
  t.equal(skipText(bytes('"a"b",'), 0, 3), 5, 'a quote within is not read')
  t.equal(skipTexts(bytes('["abc","def"],'), 0, 3), 13)
  t.equal(skipTexts(bytes('["]"b","]"d"],'), 0, 3), 13, 'nor a bracket')
  t.equal(skipTexts(bytes('x["abc"]'), 1, 3), 8)
  t.equal(skipTexts(bytes('[],'), 0, 3), 2)
  t.equal(skipTexts(bytes('["abc","de"],'), 0, 3), 12)
  t.equal(skipTexts(bytes('[ "abc" ],'), 0, 3), 9)
  t.equal(skipTexts(bytes('null,'), 0, 3), 4)
  t.equal(skipTexts(bytes('x]'), 0, 3), 1)
  t.equal(skipTexts(bytes('["abc","de'), 0, 3), UNFINISHED)
})

t.test('white space is skipped, and bytes are compared in their place', async (t) => {
  t.equal(skipSpace(bytes(' \t\r\n{'), 0), 4)
  t.equal(skipSpace(bytes('{ '), 0), 0)
  t.equal(skipSpace(bytes('{ '), 1), 2)
  const text = bytes('{"topics":1}')
  t.ok(equals(bytes('topics'), text, 2, 8))
  t.notOk(equals(bytes('topics'), text, 2, 9))
  t.notOk(equals(bytes('topicz'), text, 2, 8))
  t.notOk(equals(bytes('xopics'), text, 2, 8))
  t.notOk(equals(bytes('topics'), text, 3, 9))
})

t.test('a bloom has what was added, and sets the bits of the yellow paper', async (t) => {
  const bloom = new Bloom()
  t.notOk(bloom.has('0x01'))
  bloom.add('0x01')
  t.ok(bloom.has('0x01'))
  const others = Array.from({ length: 1_000 }, (_, at) => `0x${(at + 2).toString(16).padStart(4, '0')}`)
  t.strictSame(
    others.filter((item) => bloom.has(item)),
    [],
    'though some share a bit with it',
  )
  const bits = Array.from({ length: 2_048 }, (_, bit) => bit).filter(
    (bit) => (bloom.bytes[255 - Math.floor(bit / 8)]! >> (bit % 8)) & 1,
  )
  // The first three pairs of bytes of keccak256(0x01), each modulo 2,048: 5fe7 f977 e71d.
  t.strictSame(
    bits,
    [0x5fe7, 0xf977, 0xe71d].map((pair) => pair % 2_048).toSorted((a, b) => a - b),
  )
  const copy = new Bloom(`0x${Buffer.from(bloom.bytes).toString('hex')}`)
  t.ok(copy.has('0x01'))
  t.ok(new Bloom(`0x${'ff'.repeat(256)}`).has('0x02'))
  for (const size of [255, 257]) t.throws(() => new Bloom(`0x${'00'.repeat(size)}`), { name: 'RangeError' })
})
