import type { Brand, ProfitCard } from './card.ts'
import { colors, drawBackdrop, drawChange, drawFigure, drawFrame, drawLabel, type Size } from './draw-card.ts'
import { drawHead } from './draw-head.ts'
import { box, type Element, text } from './elements.ts'
import { fitSize, type Measure } from './measure.ts'
import { palette } from './palette.ts'

/** Room for the profit beside its percentage, and for each figure below and for the trader's name, in pixels. */
const PROFIT_WIDTH = 740
const FIGURE_WIDTH = 340
const TRADER_WIDTH = 700

/** Text and image of the card of a wallet's profit; drawProfitGround draws what is behind them. */
export async function drawProfitCard(
  card: ProfitCard,
  brand: Brand,
  size: Size,
  image: string | null,
  measure: Measure,
): Promise<Element> {
  const parts = [
    await drawHead(card, brand, image, measure),
    await drawProfit(card, measure),
    await drawFigures(card, size, measure),
  ]
  return drawFrame(brand, size, parts, await drawTrader(card, measure))
}

/** The backdrop, with a glow from below in the colour of the profit. */
export function drawProfitGround({ direction }: ProfitCard, brand: Brand, size: Size): string {
  const { width, height } = size
  return (
    `${drawBackdrop(brand, size)}<defs><radialGradient id="result" cx="0.1" cy="1.15" r="0.85">` +
    `<stop offset="0" stop-color="${colors[direction]}" stop-opacity="0.28"/>` +
    `<stop offset="1" stop-color="${colors[direction]}" stop-opacity="0"/></radialGradient></defs>` +
    `<rect width="${width}" height="${height}" fill="url(#result)"/>`
  )
}

/** Ems of a figure, whose subscripts are measured as full digits. */
const measureFigure = (figure: string, measure: Measure) =>
  measure({ fontWeight: 800, letterSpacing: '-0.03em' }, figure.replace(/[\u2080-\u2089]/g, '0'))

async function drawProfit(card: ProfitCard, measure: Measure): Promise<Element> {
  const { profit, unit, change, direction } = card
  const figure = `${profit} ${unit}`
  const fontSize = fitSize(120, PROFIT_WIDTH, await measureFigure(figure, measure))
  return box(
    { marginTop: 28, flexDirection: 'column' },
    drawLabel(direction === 'down' ? 'Loss' : 'Profit'),
    box(
      { alignItems: 'center' },
      drawFigure(figure, fontSize, colors[direction]),
      change === null ? null : drawChange(change, direction),
    ),
  )
}

async function drawFigures(card: ProfitCard, { height }: Size, measure: Measure): Promise<Element> {
  const { bought, sold, held, unit } = card
  const figures = await Promise.all(
    Object.entries({ Bought: bought, Sold: sold, Holding: held }).map(async ([label, amount]) => {
      const figure = `${amount} ${unit}`
      const fontSize = fitSize(44, FIGURE_WIDTH, await measureFigure(figure, measure))
      return box({ flexDirection: 'column', width: FIGURE_WIDTH + 16 }, drawLabel(label), drawFigure(figure, fontSize))
    }),
  )
  return box({ marginTop: height > 700 ? 60 : 14 }, figures)
}

async function drawTrader({ trader }: ProfitCard, measure: Measure): Promise<Element> {
  const style = { fontWeight: 600, color: palette.soft }
  return text({ ...style, fontSize: fitSize(30, TRADER_WIDTH, await measure(style, trader)) }, trader)
}
