import t from 'tap'
import { readCoverage } from '../../features/link-previews/coverage.ts'

/** A font with nothing but a cmap, which has these tables. */
function makeFont(...tables: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12 + 16)
  head.writeUInt16BE(1, 4)
  head.write('cmap', 12, 'latin1')
  head.writeUInt32BE(head.length, 12 + 8)
  const index = Buffer.alloc(4 + 8 * tables.length)
  index.writeUInt16BE(tables.length, 2)
  let offset = index.length
  for (const [at, table] of tables.entries()) {
    index.writeUInt32BE(offset, 4 + 8 * at + 4)
    offset += table.length
  }
  return Buffer.concat([head, index, ...tables])
}

/** Format 4: a segment of glyphs, and the last one, which ends at 0xffff. */
function makeSegments(start: number, end: number, delta: number): Buffer {
  const words = [4, 0, 0, 4, 0, 0, 0, ...[end, 0xffff], 0, ...[start, 0xffff], ...[delta, 1], ...[0, 0]]
  const table = Buffer.alloc(2 * words.length)
  for (const [at, word] of words.entries()) table.writeUInt16BE(word, 2 * at)
  return table
}

/** Format 12: a group. */
function makeGroup(start: number, end: number): Buffer {
  const table = Buffer.alloc(16 + 12)
  table.writeUInt16BE(12, 0)
  table.writeUInt32BE(1, 12)
  table.writeUInt32BE(start, 16)
  table.writeUInt32BE(end, 20)
  return table
}

t.test('the glyphs of a font are those of all of its tables', async (t) => {
  const points = (font: Buffer) => [...readCoverage(font)].sort((a, b) => a - b)
  t.strictSame(points(makeFont(makeSegments(0x41, 0x43, 1))), [0x41, 0x42, 0x43])
  t.strictSame(points(makeFont(makeGroup(0x1f600, 0x1f601))), [0x1f600, 0x1f601])
  const both = makeFont(makeSegments(0x61, 0x61, 1), makeGroup(0x1f600, 0x1f600))
  t.strictSame(points(both), [0x61, 0x1f600])
})

t.test('a code point that a segment maps to glyph 0 has none', async (t) => {
  t.strictSame([...readCoverage(makeFont(makeSegments(0x41, 0x42, 0x10000 - 0x41)))], [0x42])
})

t.test('the glyphs of a segment may be listed, and glyph 0 is none', async (t) => {
  const listed = makeSegments(0x41, 0x43, 0)
  // The list begins after the offsets of both segments.
  listed.writeUInt16BE(4, 2 * 14)
  const glyphs = Buffer.alloc(6)
  for (const [at, glyph] of [5, 0, 7].entries()) glyphs.writeUInt16BE(glyph, 2 * at)
  t.strictSame([...readCoverage(makeFont(Buffer.concat([listed, glyphs])))], [0x41, 0x43])
})

t.test('a font without a cmap, or with tables of other formats, covers nothing', async (t) => {
  t.equal(readCoverage(Buffer.alloc(12)).size, 0)
  const other = Buffer.alloc(40)
  other.writeUInt16BE(6, 0)
  t.equal(readCoverage(makeFont(other)).size, 0)
})
