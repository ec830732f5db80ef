import { findTable } from './coverage.ts'

/** Bit of YPlacement in a GPOS ValueFormat, and the bits of the fields before it. */
const Y_PLACEMENT = 2
const BEFORE_Y = 1

/**
 * Negates the vertical offsets in a font's GPOS table, in place. HarfBuzz reports offsets upwards, and satori 0.63 adds
 * them to a coordinate that points downwards: without this, marks such as the dots of Arabic letters are drawn inside
 * their letters. A test fails when satori no longer needs it.
 */
export function flipVerticalOffsets(font: Buffer): void {
  const gpos = findTable(font, 'GPOS')
  if (gpos === null) return
  const word = (at: number) => font.readUInt16BE(at)
  /** The n-th offset of a list of offsets from `base`; null if there is none. */
  const follow = (base: number, at: number) => (word(at) === 0 ? null : base + word(at))
  // Subtables share anchors.
  const flipped = new Set<number>()
  const flip = (at: number) => {
    if (flipped.has(at)) return
    flipped.add(at)
    font.writeInt16BE(-font.readInt16BE(at), at)
  }
  const flipAnchor = (anchor: number | null) => anchor !== null && flip(anchor + 4)
  const flipValue = (at: number, format: number) => format & Y_PLACEMENT && flip(at + 2 * (format & BEFORE_Y))
  const flipAnchors = (base: number, first: number, count: number, step = 2) => {
    for (let n = 0; n < count; n++) flipAnchor(follow(base, first + n * step))
  }

  const flipSingle = (table: number) => {
    const format = word(table + 4)
    if (word(table) === 1) flipValue(table + 6, format)
    else for (let n = 0; n < word(table + 6); n++) flipValue(table + 8 + n * sizeOf(format), format)
  }
  const flipPairs = (table: number) => {
    const [first, second] = [word(table + 4), word(table + 6)]
    if (((first | second) & Y_PLACEMENT) === 0) return
    const flipPair = (at: number) => {
      flipValue(at, first)
      flipValue(at + sizeOf(first), second)
    }
    const size = sizeOf(first) + sizeOf(second)
    if (word(table) === 2) {
      const pairs = word(table + 12) * word(table + 14)
      for (let n = 0; n < pairs; n++) flipPair(table + 16 + n * size)
      return
    }
    for (let set = 0; set < word(table + 8); set++) {
      const pairs = table + word(table + 10 + set * 2)
      for (let n = 0; n < word(pairs); n++) flipPair(pairs + 4 + n * (size + 2))
    }
  }
  const flipCursive = (table: number) => flipAnchors(table, table + 6, 2 * word(table + 4))
  const flipMarks = (table: number) => {
    const marks = table + word(table + 8)
    flipAnchors(marks, marks + 4, word(marks), 4)
  }
  const flipMarksOnGlyphs = (table: number) => {
    flipMarks(table)
    const bases = table + word(table + 10)
    flipAnchors(bases, bases + 2, word(bases) * word(table + 6))
  }
  const flipMarksOnLigatures = (table: number) => {
    flipMarks(table)
    const ligatures = table + word(table + 10)
    for (let n = 0; n < word(ligatures); n++) {
      const ligature = ligatures + word(ligatures + 2 + n * 2)
      flipAnchors(ligature, ligature + 2, word(ligature) * word(table + 6))
    }
  }
  /** The key is a lookup type. Contextual lookups (7 and 8) have no offsets of their own. */
  const flipTable: Record<number, (table: number) => void> = {
    1: flipSingle,
    2: flipPairs,
    3: flipCursive,
    4: flipMarksOnGlyphs,
    5: flipMarksOnLigatures,
    6: flipMarksOnGlyphs,
  }

  const lookups = gpos + word(gpos + 8)
  for (let n = 0; n < word(lookups); n++) {
    const lookup = lookups + word(lookups + 2 + n * 2)
    for (let m = 0; m < word(lookup + 4); m++) {
      const table = lookup + word(lookup + 6 + m * 2)
      const isExtension = word(lookup) === 9
      const type = isExtension ? word(table + 2) : word(lookup)
      flipTable[type]?.(isExtension ? table + font.readUInt32BE(table + 4) : table)
    }
  }
}

/** Bytes of a value record: two for each bit of its format. */
const sizeOf = (format: number): number => 2 * format.toString(2).replaceAll('0', '').length
