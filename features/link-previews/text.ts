const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

export const splitGraphemes = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment)

export const shortenAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`

/** Characters. Bounds the cost: segmenting a megabyte takes seconds. */
const LONGEST = 400
/** Characters two columns wide: Han, kana, Hangul, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u
/** More marks on a letter than any language uses would cover adjacent text. */
const MARKS = /(\p{Mn}{3})\p{Mn}+/gu
/** Zero-width non-joiners that separate no letters of a joining script. */
const LOOSE_JOINERS = /(?<![\u0600-\u08ff\u0900-\u0dff])\u200c/gu
/** A Thai vowel that NFKC decomposes. Only the composed one is drawn with the tone mark above it. */
const SARA_AM = '\u0e33'

/**
 * An untrusted text as one line of at most `limit` columns, truncated between graphemes. Replaces styled letters by
 * plain ones (NFKC); removes controls, bidi overrides, blank symbols, and zero-width characters that join
 * or separate nothing.
 */
export function fitText(text: string, limit: number): string {
  const plain = text
    .slice(0, LONGEST)
    .toWellFormed()
    .normalize('NFKC')
    .replaceAll(SARA_AM.normalize('NFKC'), SARA_AM)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Co}\p{Cn}\p{Bidi_Control}\u00ad\u1160\u180e\u200b\u2800\u2060-\u206f\ufeff\ufff9-\ufffd]/gu, '')
    .replace(LOOSE_JOINERS, '')
    .replace(MARKS, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  const parts = splitGraphemes(plain)
  const columns = parts.map((part) => (WIDE.test(part) ? 2 : 1))
  if (text.length <= LONGEST && sum(columns) <= limit) return plain
  let kept = 0
  while (kept < parts.length && sum(columns.slice(0, kept + 1)) < limit) kept++
  return `${parts.slice(0, kept).join('').trimEnd()}…`
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
