import { drawEmoji, isEmoji } from './emoji.ts'
import { type Font, findFonts } from './fonts.ts'
import { splitGraphemes } from './text.ts'

/** First character of Unicode's private use area, which fitText removes from untrusted texts. */
const PRIVATE_USE = 0xe000

/** What the texts of one card are drawn with. */
export interface Glyphs {
  /** The fonts, by name. */
  fonts: Map<string, Font>
  /** The letter that stands for an emoji in a prepared text, by the emoji. */
  letters: Map<string, string>
  /** Data URIs by letter. */
  images: Record<string, string>
}

export const createGlyphs = (): Glyphs => ({ fonts: new Map(), letters: new Map(), images: {} })

/**
 * The text without the characters that cannot be drawn; adds what the others need to `glyphs`. An emoji becomes one letter of
 * the private use area: satori breaks lines by an older Unicode, which splits sequences that it does not know.
 */
export async function prepareText(text: string, glyphs: Glyphs): Promise<string> {
  const kept: string[] = []
  for (const grapheme of splitGraphemes(text)) kept.push(await prepareGrapheme(grapheme, text, glyphs))
  return kept.join('').replace(/\s+/g, ' ').trim()
}

/**
 * The whole grapheme; else its base without diacritics, or the emoji of an unknown sequence one by one; else nothing. Diacritics
 * without a base are dropped: they would be drawn beside their place.
 */
async function prepareGrapheme(grapheme: string, text: string, glyphs: Glyphs): Promise<string> {
  const bare = grapheme.normalize('NFD').replace(/\p{M}/gu, '')
  if (bare.trim() === '') return bare
  const whole = (await prepareWhole(grapheme, text, glyphs)) ?? (await prepareWhole(bare, text, glyphs))
  if (whole !== null) return whole
  const parts: string[] = []
  for (const part of isEmoji(bare) ? bare : '')
    if (isEmoji(part)) parts.push((await prepareWhole(part, text, glyphs)) ?? '')
  return parts.join('')
}

async function prepareWhole(grapheme: string, text: string, glyphs: Glyphs): Promise<string | null> {
  const fonts = isEmoji(grapheme) ? null : await findFonts(grapheme, text)
  if (fonts) {
    for (const font of fonts) glyphs.fonts.set(font.name, font)
    return grapheme
  }
  const image = await drawEmoji(grapheme)
  if (!image) return null
  const letter = glyphs.letters.get(grapheme) ?? String.fromCharCode(PRIVATE_USE + glyphs.letters.size)
  glyphs.letters.set(grapheme, letter)
  glyphs.images[letter] = image
  return letter
}
