/**
 * Characters removed from public text: control characters, line and paragraph separators, bidi controls and zero-width
 * characters. Joiners stay: emoji and several scripts need them.
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u00ad\u200b\u2060-\u2064\ufeff]/gu

/** Single-line text without hidden characters, trimmed. */
export const cleanLine = (text: string): string => text.toWellFormed().replace(HIDDEN, '').trim()

/** The same for multi-line text: keeps tabs, and line breaks as \n. */
export const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, (found) => (found === '\n' || found === '\t' ? found : ''))
    .trim()
