/**
 * The code points with a glyph in a TrueType or OpenType font, from its cmap (formats 4 and 12, which web fonts use).
 * Others would render as boxes.
 */
export function readCoverage(font: Buffer): Set<number> {
  const covered = new Set<number>()
  const cmap = findTable(font, 'cmap')
  if (cmap === null) return covered
  for (let at = 0; at < font.readUInt16BE(cmap + 2); at++) {
    const table = cmap + font.readUInt32BE(cmap + 4 + at * 8 + 4)
    const format = font.readUInt16BE(table)
    if (format === 4) readSegments(font, table, covered)
    else if (format === 12) readGroups(font, table, covered)
  }
  return covered
}

/** Offset of a font's table; null if it has none. */
export function findTable(font: Buffer, tag: string): number | null {
  for (let at = 0; at < font.readUInt16BE(4); at++) {
    const entry = 12 + at * 16
    if (font.toString('latin1', entry, entry + 4) === tag) return font.readUInt32BE(entry + 8)
  }
  return null
}

/** Format 4: segments of the Basic Multilingual Plane, in parallel arrays of ends, starts, deltas and offsets. */
function readSegments(font: Buffer, table: number, covered: Set<number>): void {
  const size = font.readUInt16BE(table + 6)
  const ends = table + 14
  const starts = ends + size + 2
  for (let at = 0; at < size; at += 2) {
    const [start, end] = [font.readUInt16BE(starts + at), font.readUInt16BE(ends + at)]
    const delta = font.readUInt16BE(starts + size + at)
    const offsetAt = starts + 2 * size + at
    const offset = font.readUInt16BE(offsetAt)
    for (let point = start; point <= end && point < 0xffff; point++) {
      const raw = offset === 0 ? point : font.readUInt16BE(offsetAt + offset + (point - start) * 2)
      if (raw !== 0 && ((raw + delta) & 0xffff) !== 0) covered.add(point)
    }
  }
}

/** Format 12: groups of any plane. */
function readGroups(font: Buffer, table: number, covered: Set<number>): void {
  for (let at = 0; at < font.readUInt32BE(table + 12); at++) {
    const group = table + 16 + at * 12
    const [start, end] = [font.readUInt32BE(group), font.readUInt32BE(group + 4)]
    for (let point = start; point <= end; point++) covered.add(point)
  }
}
