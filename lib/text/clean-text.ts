/**
 * What no text that is shown to others may hold: control characters, line and paragraph separators, marks that turn the
 * direction of text, and characters without a width. Joiners stay: emoji and several scripts are written with them.
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u00ad\u200b\u2060-\u2064\ufeff]/gu

/** A text on one line without what is hidden in it, and without blanks around it. */
export const cleanLine = (text: string): string => text.toWellFormed().replace(HIDDEN, '').trim()

/** The same for a text of several lines: tabs and line breaks, as \n, are kept. */
export const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, (found) => (found === '\n' || found === '\t' ? found : ''))
    .trim()
