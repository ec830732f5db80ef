import type { Brand, TokenCard } from './card.ts'
import { drawHead } from './draw-head.ts'
import { box, type Element, svg, text } from './elements.ts'
import type { Measure } from './measure.ts'
import { fade, lighten, mix, palette } from './palette.ts'
import { drawPath, placePoints } from './sparkline.ts'

export interface Size {
  width: number
  height: number
}

const EDGE = 64
/** Height of the footer. */
const FOOT = 112

export const colors = { up: palette.up, down: palette.down, flat: palette.flat }

/** Text and image of a token's card; drawTokenGround draws the chart. */
export async function drawTokenCard(
  card: TokenCard,
  brand: Brand,
  size: Size,
  image: string | null,
  measure: Measure,
): Promise<Element> {
  const foot = card.status === 'graduated' ? drawGraduated(card) : drawProgress(card, brand)
  return drawFrame(brand, size, [await drawHead(card, brand, image, measure), drawFigures(card)], foot)
}

/** A card with these parts from its top, and this part of its footer beside the brand. */
export const drawFrame = (brand: Brand, size: Size, parts: readonly Element[], foot: Element): Element =>
  box(
    { ...size, flexDirection: 'column', color: palette.text, fontFamily: 'Inter' },
    box({ flexDirection: 'column', position: 'absolute', left: EDGE, top: 56, width: size.width - 2 * EDGE }, parts),
    box(
      {
        position: 'absolute',
        left: EDGE,
        top: size.height - FOOT,
        width: size.width - 2 * EDGE,
        height: FOOT,
        alignItems: 'center',
        justifyContent: 'space-between',
      },
      foot,
      drawBrand(brand, 34),
    ),
  )

/** The background as plain SVG: as images in the layout tree, it would take ten times as long. */
export const drawTokenGround = (card: TokenCard, brand: Brand, size: Size): string =>
  drawBackdrop(brand, size) + drawChart(card, size)

/** A glow from above in the brand's colour. */
export function drawBackdrop({ color }: Brand, { width, height }: Size): string {
  return (
    `<defs><radialGradient id="glow" cx="0.86" cy="-0.1" r="0.9"><stop offset="0" stop-color="${mix(palette.ground, color, 0.34)}"/>` +
    `<stop offset="1" stop-color="${palette.ground}"/></radialGradient></defs>` +
    `<rect width="${width}" height="${height}" fill="url(#glow)"/>`
  )
}

function drawFigures({ price, marketCap, change, quote, direction }: TokenCard): Element {
  return box(
    { marginTop: 36, width: '100%', alignItems: 'flex-end', justifyContent: 'space-between' },
    box(
      { flexDirection: 'column' },
      drawLabel(`Price · 24h in ${quote}`),
      box({ alignItems: 'center' }, drawFigure(price, 72), drawChange(change, direction)),
    ),
    marketCap === null
      ? null
      : box(
          { flexDirection: 'column', alignItems: 'flex-end' },
          drawLabel('Market cap'),
          text({ fontSize: 72, fontWeight: 800, letterSpacing: '-0.03em', lineHeight: 1.15 }, marketCap),
        ),
  )
}

export const drawLabel = (label: string) => text({ fontSize: 24, fontWeight: 500, color: palette.faint }, label)

/** A change in percent on a plate of its colour. */
export function drawChange(change: string, direction: TokenCard['direction']): Element {
  const tint = colors[direction]
  return box(
    {
      marginLeft: 24,
      marginTop: 8,
      padding: '7px 18px',
      borderRadius: 14,
      alignItems: 'center',
      backgroundColor: fade(tint, 0.15),
    },
    direction === 'flat' ? null : drawArrow(direction, tint),
    text({ fontSize: 32, fontWeight: 600, color: tint }, change),
  )
}

const drawArrow = (direction: 'up' | 'down', tint: string) =>
  svg(
    { width: 22, height: 22 },
    `<path d="${direction === 'up' ? 'M11 3 L20 18 H2 Z' : 'M11 19 L2 4 H20 Z'}" fill="${tint}" stroke="${tint}" stroke-width="2" stroke-linejoin="round"/>`,
    { marginRight: 12 },
  )

/** Draws a run of zeros as a subscript: 0.0₅709 is 0.00000709. */
export function drawFigure(figure: string, fontSize: number, color: string = palette.text): Element {
  const parts = figure.split(/([\u2080-\u2089]+)/)
  return box(
    { alignItems: 'flex-end', fontSize, fontWeight: 800, letterSpacing: '-0.03em', lineHeight: 1.15, color },
    parts.map((part, at) => {
      if (at % 2 === 0) return text({}, part)
      const digits = Array.from(part, (digit) => String((digit.codePointAt(0) as number) - 0x2080)).join('')
      const small = Math.round(fontSize * 0.55)
      return text({ fontSize: small, marginLeft: 3, marginRight: 4, marginBottom: 2 }, digits)
    }),
  )
}

/** The last day as a line over the full width, with a gradient below and a dot at the current price. */
function drawChart({ sparkline, direction }: TokenCard, { width, height }: Size): string {
  const tint = colors[direction]
  const floor = height - FOOT
  const [top, bottom] = [height > 700 ? 420 : 378, floor - 30]
  const points = placePoints(sparkline, { left: -6, right: width - EDGE - 19, top, bottom })
  const now = points.at(-1) ?? { x: 0, y: 0 }
  const line = drawPath(points)
  const fading = (id: string, along: string, from: number, to: number) =>
    `<linearGradient id="${id}" ${along} gradientUnits="userSpaceOnUse"><stop offset="0" stop-color="${tint}" ` +
    `stop-opacity="${from}"/><stop offset="1" stop-color="${tint}" stop-opacity="${to}"/></linearGradient>`
  const dot = (radius: number, fill: string, opacity: number) =>
    `<circle cx="${now.x}" cy="${now.y}" r="${radius}" fill="${fill}" fill-opacity="${opacity}"/>`
  return (
    `<defs>${fading('under', `x1="0" y1="${top}" x2="0" y2="${floor}"`, 0.3, 0)}` +
    `${fading('along', 'x1="0" y1="0" x2="260" y2="0"', 0.15, 1)}</defs>` +
    `<path d="${line}L${now.x} ${floor}L-6 ${floor}Z" fill="url(#under)"/>` +
    `<path d="${line}" fill="none" stroke="url(#along)" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"/>` +
    dot(19, tint, 0.22) +
    dot(9, tint, 1) +
    dot(4, '#fff', 1)
  )
}

function drawProgress({ progress }: TokenCard, { color }: Brand): Element {
  const width = 620
  // At least as wide as high: a curve that has just started shows a dot.
  const filled = Math.max(16, Math.round((width * Math.min(100, progress)) / 100))
  return box(
    { flexDirection: 'column', width },
    box(
      { justifyContent: 'space-between', fontSize: 24, marginBottom: 12 },
      text({ fontWeight: 500, color: palette.soft }, 'Bonding curve'),
      text({ fontWeight: 600 }, `${progress}%`),
    ),
    box(
      { width, height: 16, borderRadius: 8, backgroundColor: palette.line },
      box({
        width: filled,
        height: 16,
        borderRadius: 8,
        backgroundImage: `linear-gradient(90deg, ${color}, ${lighten(color, 0.45)})`,
      }),
    ),
  )
}

function drawGraduated({ lifecycle }: TokenCard): Element {
  const news = lifecycle === 'curve' ? 'Curve complete, trading in its pool' : 'Trading in its pool since the launch'
  const check =
    `<circle cx="22" cy="22" r="22" fill="${palette.up}" fill-opacity="0.18"/>` +
    `<path d="M13 23l6 6 12-13" fill="none" stroke="${palette.up}" stroke-width="4.5" stroke-linecap="round" stroke-linejoin="round"/>`
  return box(
    { alignItems: 'center' },
    svg({ width: 44, height: 44 }, check, { marginRight: 18 }),
    text({ fontSize: 28, fontWeight: 500, color: palette.soft }, news),
  )
}

/** The brand's logo: a hull on a slipway. */
export function drawMark(color: string, side: number): Element {
  const inner =
    `<defs><linearGradient id="a" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${lighten(color, 0.3)}"/>` +
    `<stop offset="1" stop-color="${color}"/></linearGradient></defs>` +
    `<g transform="scale(${side / 48})"><rect width="48" height="48" rx="13" fill="url(#a)"/>` +
    '<path d="M9 21l26-9-3.5 9.5a6 6 0 0 1-3.6 3.6L17 29z" fill="#fff"/>' +
    '<path d="M9 37.5L39 27" stroke="#fff" stroke-width="3.6" stroke-linecap="round" stroke-opacity="0.75"/></g>'
  return svg({ width: side, height: side }, inner)
}

const drawBrand = ({ name, color }: Brand, fontSize: number): Element =>
  box(
    { alignItems: 'center' },
    drawMark(color, Math.round(fontSize * 1.4)),
    text({ fontSize, fontWeight: 800, letterSpacing: '-0.02em', marginLeft: Math.round(fontSize * 0.45) }, name),
  )
