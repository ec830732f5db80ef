/*
 * Tables for decoding hexadecimal digits in bytes of text.
 */

/** Marks two bytes that are no digits: no byte has this bit. */
export const NO_PAIR = 0x100
/** Value of a hexadecimal digit; 0x80 marks any other byte. */
export const DIGITS = new Uint8Array(256).fill(0x80)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  DIGITS[digit.charCodeAt(0)] = value
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value
}
/** The byte that two digits make, by both as a little-endian integer. One look-up for two takes half the time. */
export const PAIRS = new Uint16Array(65_536).fill(NO_PAIR)
for (let high = 0; high < 256; high++) {
  for (let low = 0; low < 256; low++) {
    if (DIGITS[high]! < 16 && DIGITS[low]! < 16) PAIRS[high | (low << 8)] = (DIGITS[high]! << 4) | DIGITS[low]!
  }
}
