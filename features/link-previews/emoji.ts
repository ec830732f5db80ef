import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'

const folder = dirname(createRequire(import.meta.url).resolve('@twemoji/svg/package.json'))
const drawings = new LRUCache<string, { uri: string | null }>({ max: 512 })

/** Whether a grapheme has emoji presentation, unlike ©, ☺ or a digit alone. */
export const isEmoji = (grapheme: string): boolean =>
  /\p{Emoji_Presentation}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\u{fe0f}|\u{20e3}|\p{Extended_Pictographic}\u{200d}/u.test(
    grapheme,
  )

/** An emoji's SVG as a data: URI; null if there is none. */
export async function drawEmoji(grapheme: string): Promise<string | null> {
  const known = drawings.get(grapheme)
  if (known) return known.uri
  let uri: string | null = null
  // File names omit the variation selector, except for some sequences.
  for (const spelling of [grapheme.replaceAll('\u{fe0f}', ''), grapheme]) {
    const name = Array.from(spelling, (character) => character.codePointAt(0)?.toString(16)).join('-')
    const svg = await readFile(join(folder, `${name}.svg`)).catch(() => null)
    if (svg) uri = `data:image/svg+xml;base64,${svg.toString('base64')}`
    if (uri) break
  }
  drawings.set(grapheme, { uri })
  return uri
}
