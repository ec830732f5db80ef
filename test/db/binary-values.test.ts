import { sql } from 'kysely'
import t from 'tap'
import { toArray } from '../../db/bulk.ts'
import type { Value, ValueType } from '../../db/postgres/binary-values.ts'
import { createTestDatabase } from '../support/database.ts'

/* The server reads the values that were written. */
const { db } = await createTestDatabase(t)

/** The elements of an array as the server's text. */
async function readBack(type: ValueType, values: readonly Value[], sqlType: string = type) {
  const array = toArray({ type, value: (value: Value) => value }, values)
  const { rows } = await sql<{ text: string | null }>`
    select e::text as text from unnest(${array}::${sql.raw(sqlType)}[]) with ordinality as a (e, n) order by n`.execute(
    db,
  )
  return rows.map(({ text }) => text)
}

/** Every length up to that of numeric(78, 0), around the limits of digits and of machine words. */
const INTEGERS = [
  ...Array.from({ length: 78 }, (_, digits) => 10n ** BigInt(digits)),
  ...[32n, 53n, 63n, 64n, 96n, 127n, 128n, 255n].map((bits) => 1n << bits),
].flatMap((edge) => [edge - 1n, edge, edge + 1n, edge * 7n + 12_345n])
const SIGNED = [0n, ...INTEGERS, ...INTEGERS.map((integer) => -integer)]

t.test('integers of any size are read back unchanged', async (t) => {
  t.same(await readBack('numeric', SIGNED), SIGNED.map(String))
  t.same(await readBack('numeric', [0, 7, -12_345, Number.MAX_SAFE_INTEGER]), ['0', '7', '-12345', '9007199254740991'])
})

t.test('decimal numbers are read back unchanged, and other texts are rejected', async (t) => {
  const texts = [
    '0',
    '0.5',
    '0.00000001',
    '-0.00010000',
    '1.5',
    '12345.6789',
    '-99999999.99999999',
    '10000.0001',
    '0.12345',
  ]
  t.same(await readBack('numeric', texts), texts)
  for (const text of ['', '-', 'NaN', '1e21', '0x10', '1.2.3', ' 1', '१'])
    t.throws(() => toArray({ type: 'numeric', value: () => text }, [1]), { message: /is no decimal number/ }, text)
})

t.test('integers with eight decimals are read back as decimal numbers', async (t) => {
  const units = SIGNED.filter((integer) => integer < 1n << 128n && integer > -(1n << 128n))
  const expected = units.map((integer) => {
    const digits = String(integer < 0n ? -integer : integer).padStart(9, '0')
    return `${integer < 0n ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`
  })
  t.same(await readBack('numeric8', units, 'numeric'), expected)
  t.throws(() => toArray({ type: 'numeric8', value: () => 1n << 128n }, [1]), RangeError)
})

t.test('machine integers are read back unchanged, and numbers out of range are rejected', async (t) => {
  const bigints = [
    0,
    -1,
    1,
    2 ** 31,
    -(2 ** 31),
    2 ** 32,
    -(2 ** 32) - 1,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ]
  t.same(await readBack('bigint', bigints), bigints.map(String))
  t.same(await readBack('integer', [0, -1, 2 ** 31 - 1, 1 - 2 ** 31]), ['0', '-1', '2147483647', '-2147483647'])
  t.same(await readBack('smallint', [0, -1, 32_767, -32_767]), ['0', '-1', '32767', '-32767'])
  for (const [type, value] of [
    ['bigint', 2 ** 53],
    ['bigint', 0.5],
    ['integer', 2 ** 31],
    ['integer', Number.NaN],
    ['smallint', 32_768],
  ] as const) {
    t.throws(() => toArray({ type, value: () => value }, [1]), RangeError, `${type} ${value}`)
  }
})

t.test('texts, bytes, floats, booleans and JSON are read back unchanged', async (t) => {
  const texts = [
    '',
    'a',
    'NULL',
    '{"quoted\\"}',
    'x'.repeat(80),
    'x'.repeat(81),
    'é'.repeat(80),
    'ünï 雪 🚀',
    '\u0080',
    '\u007f',
  ]
  t.same(await readBack('text', texts), texts)
  t.same(await readBack('bytea', [Buffer.alloc(0), Buffer.from([0, 255])]), ['\\x', '\\x00ff'])
  t.same(await readBack('float8', [0, -1.5, 1e-300, Number.MAX_VALUE]), [
    '0',
    '-1.5',
    '1e-300',
    '1.7976931348623157e+308',
  ])
  t.same(await readBack('boolean', [true, false]), ['true', 'false'])
  t.same(await readBack('jsonb', ['{}', '{"雪": [1, "a"]}']), ['{}', '{"雪": [1, "a"]}'])
})

t.test('values of another type are rejected', async (t) => {
  for (const [type, value] of [
    ['boolean', 'true'],
    ['boolean', undefined],
    ['float8', '1.5'],
    ['float8', undefined],
    ['numeric8', 1],
  ] as const) {
    t.throws(() => toArray({ type, value: () => value as never }, [1]), TypeError, `${type} ${value}`)
  }
})

t.test('nulls, empty arrays and arrays larger than a buffer are read back unchanged', async (t) => {
  t.same(await readBack('text', ['a', null, '']), ['a', null, ''])
  t.same(await readBack('numeric', []), [])
  const many = Array.from({ length: 30_000 }, (_, index) => BigInt(index) ** 4n)
  t.same(await readBack('numeric', many), many.map(String))
})
