import type { Brand } from './card.ts'
import { drawBackdrop, drawMark, type Size } from './draw-card.ts'
import { box, type Element, text } from './elements.ts'
import { fade, lighten, palette } from './palette.ts'

/** The card of the service itself, for pages without a token. */
export function drawBrandCard(brand: Brand, size: Size): Element {
  const { width, height } = size
  return box(
    {
      ...size,
      flexDirection: 'column',
      alignItems: 'center',
      justifyContent: 'center',
      color: palette.text,
      fontFamily: 'Inter',
    },
    box(
      { alignItems: 'center', marginTop: -70 },
      drawMark(brand.color, 128),
      text({ fontSize: 108, fontWeight: 800, letterSpacing: '-0.035em', marginLeft: 36 }, brand.name),
    ),
    text({ fontSize: 36, fontWeight: 500, color: palette.soft, marginTop: 26 }, 'Tokens, launched on a curve'),
    text(
      {
        position: 'absolute',
        left: 0,
        top: height - 84,
        width,
        justifyContent: 'center',
        fontSize: 26,
        fontWeight: 500,
        color: palette.faint,
      },
      brand.host,
    ),
  )
}

/** The background: a glow and the bonding curve. */
export const drawBrandGround = (brand: Brand, size: Size): string => drawBackdrop(brand, size) + drawCurve(brand, size)

/** Constant product: the price rises with the inverse square of the tokens left for sale. */
function drawCurve({ color }: Brand, { width, height }: Size): string {
  const [floor, rise] = [height - 112, height * 0.64]
  const points = Array.from({ length: 121 }, (_, at) => {
    const sold = at / 120
    const share = (1 / (1 - 0.76 * sold) ** 2 - 1) / (1 / 0.24 ** 2 - 1)
    return `${(sold * width).toFixed(1)} ${(floor - rise * share).toFixed(1)}`
  })
  const line = `M${points.join('L')}`
  return (
    `<defs><linearGradient id="under" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${color}" stop-opacity="0.30"/>` +
    `<stop offset="1" stop-color="${color}" stop-opacity="0"/></linearGradient></defs>` +
    `<path d="${line}L${width} ${height}L0 ${height}Z" fill="url(#under)"/>` +
    `<path d="${line}" fill="none" stroke="${fade(lighten(color, 0.3), 0.7)}" stroke-width="4"/>`
  )
}
