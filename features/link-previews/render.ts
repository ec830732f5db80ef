import { Resvg } from '@resvg/resvg-js'
import { LRUCache } from 'lru-cache'
import satori from 'satori'
import { type Brand, type Card, type CardJob, ratios } from './card.ts'
import { drawBrandCard, drawBrandGround } from './draw-brand-card.ts'
import { drawTokenCard, drawTokenGround, type Size } from './draw-card.ts'
import { drawProfitCard, drawProfitGround } from './draw-profit-card.ts'
import type { Element } from './elements.ts'
import { baseFonts, type Font } from './fonts.ts'
import { createMeasure, type Measure } from './measure.ts'
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
  const ground = drawGround(shown, label, size)
  const options = { fonts: joinFonts(glyphs.fonts), graphemeImages: glyphs.images }
  const tree = await drawTree(shown, label, size, src, createMeasure(options))
  const svg = await satori(tree as never, { ...size, ...options })
  const whole = svg.replace(/^<svg[^>]*>/, (opening) => opening + ground)
  return new Resvg(whole, { font: { loadSystemFonts: false }, logLevel: 'off' }).render().asPng()
}

function drawGround(card: Card, brand: Brand, size: Size): string {
  if (card.kind === 'brand') return drawBrandGround(brand, size)
  return card.kind === 'token' ? drawTokenGround(card, brand, size) : drawProfitGround(card, brand, size)
}

async function drawTree(
  card: Card,
  brand: Brand,
  size: Size,
  image: string | null,
  measure: Measure,
): Promise<Element> {
  if (card.kind === 'brand') return drawBrandCard(brand, size)
  if (card.kind === 'token') return drawTokenCard(card, brand, size, image, measure)
  return drawProfitCard(card, brand, size, image, measure)
}

async function prepareCard(card: Card, glyphs: Glyphs): Promise<Card> {
  if (card.kind === 'brand') return card
  const [name, symbol] = [await prepareText(card.name, glyphs), await prepareText(card.symbol, glyphs)]
  // If no character of the name can be drawn, the symbol or the address identifies the token.
  const head = { name: name || symbol || shortenAddress(card.address), symbol }
  if (card.kind === 'token') return { ...card, ...head, quote: await prepareText(card.quote, glyphs) }
  const [trader, unit] = [await prepareText(card.trader, glyphs), await prepareText(card.unit, glyphs)]
  return { ...card, ...head, trader, unit }
}

function joinFonts(extra: Glyphs['fonts']): Font[] {
  const key = [...extra.keys()].sort().join()
  const known = fontSets.get(key)
  if (known) return known
  const fonts = [...baseFonts, ...extra.values()]
  fontSets.set(key, fonts)
  return fonts
}
