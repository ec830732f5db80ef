import t from 'tap'
import { flipVerticalOffsets } from '../../features/link-previews/flip-offsets.ts'

/** Words of a table in OpenType. A table within stands for its offset from this one; one that occurs twice is shared. */
interface Table extends ReadonlyArray<number | Table> {}

function encode(table: Table): Buffer {
  const head = Buffer.alloc(table.length * 2)
  const parts: Buffer[] = [head]
  const offsets = new Map<Table, number>()
  let end = head.length
  for (const [at, field] of table.entries()) {
    if (typeof field === 'number') {
      head.writeInt16BE(field, at * 2)
      continue
    }
    if (!offsets.has(field)) {
      const part = encode(field)
      parts.push(part)
      offsets.set(field, end)
      end += part.length
    }
    head.writeUInt16BE(offsets.get(field)!, at * 2)
  }
  return Buffer.concat(parts)
}

/** A font whose only table is this one. */
function makeFont(tag: string, table: Table): Buffer {
  const header = Buffer.alloc(28)
  header.writeUInt16BE(1, 4)
  header.write(tag, 12, 'latin1')
  header.writeUInt32BE(header.length, 20)
  const contents = encode(table)
  header.writeUInt32BE(contents.length, 24)
  return Buffer.concat([header, contents])
}

const COVERAGE = 0
const NONE = 0
const gpos = (...lookups: Table[]): Table => [1, 0, 0, 0, [lookups.length, ...lookups]]
const lookup = (type: number, ...subtables: Table[]): Table => [type, 0, subtables.length, ...subtables]
const anchor = (y: number): Table => [1, 11, y]

/** Subtables by lookup type. Their vertical offsets are multiplied by `sign`. */
const tables: Record<string, [type: number, make: (sign: number) => Table[]]> = {
  'single adjustments': [
    1,
    (sign) => [
      // Value formats: bits for x, y, and the advances, in the order of the values.
      [1, COVERAGE, 0b0010, 5 * sign],
      [1, COVERAGE, 0b0111, 3, 5 * sign, 7],
      [1, COVERAGE, 0b0101, 3, 7],
      [2, COVERAGE, 0b0011, 2, 3, 5 * sign, 4, -6 * sign],
      [2, COVERAGE, 0b0100, 2, 7, 8],
    ],
  ],
  'adjustments of pairs of glyphs': [
    2,
    (sign) => [
      [
        1,
        COVERAGE,
        0b0111,
        0b0010,
        2,
        [1, 90, 3, 5 * sign, 7, 9 * sign],
        [2, 91, 1, 2 * sign, 3, 4 * sign, 92, 5, 6 * sign, 7, 8 * sign],
      ],
      [1, COVERAGE, 0b0100, 0b0010, 1, [2, 90, 7, 9 * sign, 91, 8, 10 * sign]],
      [1, COVERAGE, 0b0010, 0, 1, [1, 90, 9 * sign]],
      [1, COVERAGE, 0b0100, 0, 1, [1, 90, 9]],
    ],
  ],
  'adjustments of pairs of classes': [
    2,
    (sign) => [
      [2, COVERAGE, 0b0011, 0b0110, 0, 0, 1, 2, 3, 5 * sign, 7 * sign, 9, 4, 6 * sign, 8 * sign, 10],
      [2, COVERAGE, 0b0010, 0, 0, 0, 2, 2, 1 * sign, 2 * sign, 3 * sign, 4 * sign],
      [2, COVERAGE, 0b0100, 0, 0, 0, 1, 1, 7],
    ],
  ],
  'cursive attachments': [
    3,
    (sign) => [[1, COVERAGE, 3, anchor(5 * sign), anchor(6 * sign), NONE, anchor(-7 * sign), anchor(8 * sign), NONE]],
  ],
  'marks on glyphs': [
    4,
    (sign) => [
      [
        1,
        COVERAGE,
        COVERAGE,
        2,
        [2, 0, anchor(5 * sign), 1, anchor(6 * sign)],
        [2, anchor(7 * sign), NONE, anchor(8 * sign), anchor(9 * sign)],
      ],
    ],
  ],
  'marks on ligatures': [
    5,
    (sign) => [
      [
        ...[1, COVERAGE, COVERAGE, 2],
        [1, 0, anchor(5 * sign)],
        [2, [2, anchor(6 * sign), NONE, anchor(7 * sign), anchor(8 * sign)], [1, NONE, anchor(9 * sign)]],
      ],
    ],
  ],
  'marks on marks': [
    6,
    (sign) => [[1, COVERAGE, COVERAGE, 1, [1, 0, anchor(5 * sign)], [3, anchor(7 * sign), NONE, anchor(-8 * sign)]]],
  ],
}

for (const [name, [type, make]] of Object.entries(tables)) {
  t.test(`only vertical offsets are negated: ${name}`, async (t) => {
    const font = makeFont('GPOS', gpos(lookup(type, ...make(1))))
    flipVerticalOffsets(font)
    t.same(font.toString('hex'), makeFont('GPOS', gpos(lookup(type, ...make(-1)))).toString('hex'))
  })
}

t.test('vertical offsets are negated in every lookup and in extensions', async (t) => {
  const all = (sign: number) =>
    Object.values(tables).flatMap(([type, make]) => [
      lookup(type, ...make(sign)),
      lookup(9, ...make(sign).map((table): Table => [1, type, 0, table])),
    ])
  const font = makeFont('GPOS', gpos(...all(1)))
  flipVerticalOffsets(font)
  t.same(font.toString('hex'), makeFont('GPOS', gpos(...all(-1))).toString('hex'))
})

t.test('an anchor of several glyphs is negated once', async (t) => {
  const make = (sign: number) => {
    const shared = anchor(5 * sign)
    return makeFont('GPOS', gpos(lookup(3, [1, COVERAGE, 2, shared, shared, shared, anchor(6 * sign)])))
  }
  const font = make(1)
  flipVerticalOffsets(font)
  t.same(font.toString('hex'), make(-1).toString('hex'))
})

t.test('contextual lookups and fonts without a GPOS table are unchanged', async (t) => {
  for (const font of [
    makeFont('GPOS', gpos(lookup(7, [1, COVERAGE, 2, 3, 4]), lookup(8, [1, COVERAGE, 2, 3, 4]))),
    makeFont('GSUB', gpos(lookup(1, [1, COVERAGE, 0b0010, 5]))),
  ]) {
    const before = font.toString('hex')
    flipVerticalOffsets(font)
    t.equal(font.toString('hex'), before)
  }
})
