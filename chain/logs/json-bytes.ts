/*
 * Scans JSON in byte chunks. No imports: the log worker thread loads this file.
 */

export const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a] as const
export const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const
const BACKSLASH = 0x5c

/** The value is incomplete: more bytes are needed. */
export const UNFINISHED = -1

export function equals(known: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (known.length !== end - start) return false
  for (let at = 0; at < known.length; at++) if (known[at] !== bytes[start + at]) return false
  return true
}

export function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at]! <= 0x20) at++
  return at
}

/** End of the JSON value that starts at `from`, or UNFINISHED. */
export function skipValue(bytes: Buffer, from: number): number {
  const { length } = bytes
  let depth = 0
  let at = from
  while (at < length) {
    const byte = bytes[at++]
    if (byte === QUOTE) {
      while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
      if (at >= length) return UNFINISHED
      at += 1
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1
    else if (depth === 0) {
      // A number, true, false or null: scan to the next delimiter.
      while (at < length && !isEnd(bytes[at]!)) at++
      if (at >= length) return UNFINISHED
    }
    if (depth === 0) return at
  }
  return UNFINISHED
}

/**
 * skipValue for a text that is expected to have so many characters, whose bytes are not read then. A shorter one may have another
 * quote at that position: the caller has to reject quotes in the text.
 */
export function skipText(bytes: Buffer, from: number, length: number): number {
  const isExpected = bytes[from] === QUOTE && bytes[from + length + 1] === QUOTE
  return isExpected ? from + length + 2 : skipValue(bytes, from)
}

/** The same for a list of such texts. */
export function skipTexts(bytes: Buffer, from: number, length: number): number {
  let at = from + 1
  while (bytes[at] === QUOTE && bytes[at + length + 1] === QUOTE) {
    at += length + 2
    if (bytes[at] === COMMA) at += 1
  }
  return bytes[from] === OPEN_BRACKET && bytes[at] === CLOSE_BRACKET ? at + 1 : skipValue(bytes, from)
}

function isEnd(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET
}
