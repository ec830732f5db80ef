import { Resvg } from '@resvg/resvg-js'
import { LRUCache } from 'lru-cache'
import satori from 'satori'
import { type Card, type CardJob, ratios } from './card.ts'
import { drawBrandCard, drawBrandGround } from './draw-brand-card.ts'
import { drawTokenCard, drawTokenGround } from './draw-card.ts'
import { drawEmoji, isEmoji } from './emoji.ts'
import { baseFonts, type Font, findFonts } from './fonts.ts'
import { shortenAddress, splitGraphemes } from './text.ts'

/** A text without the graphemes that cannot be drawn, and the fonts and emoji that it needs. */
interface Prepared {
  text: string
  fonts: Font[]
  emoji: Record<string, string>
}

/** Font arrays by name: satori caches parsed fonts by the identity of the array. */
const fontSets = new LRUCache<string, Font[]>({ max: 64 })

/** Renders a card as PNG, without network requests and without missing-glyph boxes. */
export async function renderCard({ card, brand, ratio, image }: CardJob): Promise<Uint8Array> {
  const size = ratios[ratio]
  const { shown, fonts, emoji } = await prepareCard(card)
  const { text: name, ...ofName } = await prepareText(brand.name)
  const label = { ...brand, name: name || brand.host }
  const src = image && `data:image/png;base64,${Buffer.from(image).toString('base64')}`
  const isToken = shown.kind === 'token'
  const ground = isToken ? drawTokenGround(shown, label, size) : drawBrandGround(label, size)
  const tree = isToken ? drawTokenCard(shown, label, size, src) : drawBrandCard(label, size)
  const svg = await satori(tree as never, {
    ...size,
    fonts: joinFonts([...fonts, ...ofName.fonts]),
    graphemeImages: { ...emoji, ...ofName.emoji },
  })
  const whole = svg.replace(/^<svg[^>]*>/, (opening) => opening + ground)
  return new Resvg(whole, { font: { loadSystemFonts: false }, logLevel: 'off' }).render().asPng()
}

async function prepareCard(card: Card): Promise<{ shown: Card; fonts: Font[]; emoji: Record<string, string> }> {
  if (card.kind === 'brand') return { shown: card, fonts: [], emoji: {} }
  const [name, symbol] = await Promise.all([prepareText(card.name), prepareText(card.symbol)])
  // If no character of the name can be drawn, the symbol or the address identifies the token.
  const shown = { ...card, name: name.text || symbol.text || shortenAddress(card.address), symbol: symbol.text }
  return { shown, fonts: [...name.fonts, ...symbol.fonts], emoji: { ...name.emoji, ...symbol.emoji } }
}

async function prepareText(text: string): Promise<Prepared> {
  const fonts: Font[] = []
  const emoji: Record<string, string> = {}
  const kept: string[] = []
  for (const grapheme of splitGraphemes(text)) {
    const fontsOfIt = isEmoji(grapheme) ? null : await findFonts(grapheme, text)
    const drawing = fontsOfIt ? null : await drawEmoji(grapheme)
    // Without a glyph for its diacritics, draw the base letter.
    const bare = grapheme.normalize('NFD').replace(/\p{M}/gu, '')
    const fontsOfBare = fontsOfIt || drawing || bare === grapheme ? null : await findFonts(bare, text)
    if (drawing) emoji[grapheme] = drawing
    fonts.push(...(fontsOfIt ?? fontsOfBare ?? []))
    if (fontsOfIt || drawing) kept.push(grapheme)
    else if (fontsOfBare) kept.push(bare)
  }
  return { text: kept.join('').replace(/\s+/g, ' ').trim(), fonts, emoji }
}

function joinFonts(extra: readonly Font[]): Font[] {
  const byName = new Map(extra.map((font) => [font.name, font]))
  const key = [...byName.keys()].sort().join()
  const known = fontSets.get(key)
  if (known) return known
  const fonts = [...baseFonts, ...byName.values()]
  fontSets.set(key, fonts)
  return fonts
}
