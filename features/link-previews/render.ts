import { Resvg } from '@resvg/resvg-js'
import { LRUCache } from 'lru-cache'
import satori from 'satori'
import { type Card, type CardJob, ratios } from './card.ts'
import { drawBrandCard, drawBrandGround } from './draw-brand-card.ts'
import { drawTokenCard, drawTokenGround } from './draw-card.ts'
import { baseFonts, type Font } from './fonts.ts'
import { createMeasure } from './measure.ts'
import { createGlyphs, type Glyphs, prepareText } from './prepare-text.ts'
import { shortenAddress } from './text.ts'

/** Font arrays by name: satori caches parsed fonts by the identity of the array. */
const fontSets = new LRUCache<string, Font[]>({ max: 64 })

/** Renders a card as PNG, without network requests and without missing-glyph boxes. */
export async function renderCard({ card, brand, ratio, image }: CardJob): Promise<Uint8Array> {
  const size = ratios[ratio]
  const glyphs = createGlyphs()
  const shown = await prepareCard(card, glyphs)
  const label = { ...brand, name: (await prepareText(brand.name, glyphs)) || brand.host }
  const src = image && `data:image/png;base64,${Buffer.from(image).toString('base64')}`
  const isToken = shown.kind === 'token'
  const ground = isToken ? drawTokenGround(shown, label, size) : drawBrandGround(label, size)
  const options = { fonts: joinFonts(glyphs.fonts), graphemeImages: glyphs.images }
  const tree = isToken
    ? await drawTokenCard(shown, label, size, src, createMeasure(options))
    : drawBrandCard(label, size)
  const svg = await satori(tree as never, { ...size, ...options })
  const whole = svg.replace(/^<svg[^>]*>/, (opening) => opening + ground)
  return new Resvg(whole, { font: { loadSystemFonts: false }, logLevel: 'off' }).render().asPng()
}

async function prepareCard(card: Card, glyphs: Glyphs): Promise<Card> {
  if (card.kind === 'brand') return card
  const [name, symbol] = [await prepareText(card.name, glyphs), await prepareText(card.symbol, glyphs)]
  // If no character of the name can be drawn, the symbol or the address identifies the token.
  return { ...card, name: name || symbol || shortenAddress(card.address), symbol }
}

function joinFonts(extra: Glyphs['fonts']): Font[] {
  const key = [...extra.keys()].sort().join()
  const known = fontSets.get(key)
  if (known) return known
  const fonts = [...baseFonts, ...extra.values()]
  fontSets.set(key, fonts)
  return fonts
}
