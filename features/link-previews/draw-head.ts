import type { Brand, TokenHead } from './card.ts'
import { box, type Element, text } from './elements.ts'
import { fitSize, type Measure } from './measure.ts'
import { fade, lighten, palette, tintOf } from './palette.ts'
import { shortenAddress, splitGraphemes } from './text.ts'

/** Side of the picture, and room for the letter on its placeholder, in pixels. */
const PICTURE = 136
const LETTER_ROOM = 112
/** Room for the name beside the picture, and for the symbol beside its badge. */
const NAME_WIDTH = 896
const LABEL_WIDTH = 620
/** Width of two lines, which satori lets exceed it by some pixels. */
const LINE_WIDTH = 864
/** Font sizes of a name, in pixels. Below `leastOnOneLine` it takes two lines; below `least` it is truncated. */
const nameSizes = { most: 68, leastOnOneLine: 46, least: 34 }

const column = { flexDirection: 'column', alignItems: 'flex-start', flexGrow: 1, flexShrink: 1, flexBasis: 0 }
/** Cuts off stacked diacritics that leave the lines by more than their usual height. */
const clip = { overflow: 'hidden', padding: '34px 0 12px 2px', margin: '-34px 0 -12px 30px' }

/** The picture, the name, the symbol and the stage. Texts are scaled to their room, by their measured widths. */
export async function drawHead(
  card: TokenHead,
  brand: Brand,
  image: string | null,
  measure: Measure,
): Promise<Element> {
  const label = labelOf(card)
  return box(
    { alignItems: 'center', width: '100%' },
    await drawPicture(card, image, measure),
    box(
      { ...column, ...clip },
      await drawName(card.name, measure),
      box(
        { alignItems: 'center', marginTop: 8 },
        label === null ? null : await drawLabel(label, measure),
        drawBadge(card, brand),
      ),
    ),
  )
}

async function drawPicture(
  { address, name, symbol }: TokenHead,
  image: string | null,
  measure: Measure,
): Promise<Element> {
  const shape = { width: PICTURE, height: PICTURE, borderRadius: 36, flexShrink: 0 }
  if (image) return { type: 'img', props: { src: image, width: PICTURE, height: PICTURE, style: shape } }
  const [from, to] = tintOf(address)
  const letter = splitGraphemes(symbol || name)[0] ?? '?'
  const style = { fontWeight: 800, color: '#ffffff' }
  const fontSize = fitSize(68, LETTER_ROOM, await measure(style, letter))
  return box(
    {
      ...shape,
      alignItems: 'center',
      justifyContent: 'center',
      // Marks may extend beyond the letter's width.
      overflow: 'hidden',
      backgroundImage: `linear-gradient(135deg, ${from}, ${to})`,
    },
    text({ ...style, fontSize }, letter),
  )
}

/** The name on one line, or on two with an ellipsis at the end if they do not hold it. */
async function drawName(name: string, measure: Measure): Promise<Element> {
  const style = {
    fontWeight: 800,
    letterSpacing: '-0.02em',
    ...(isRightToLeft(name) && { direction: 'rtl', textAlign: 'left' }),
  }
  const ems = await measure(style, name)
  const fits = fitSize(nameSizes.most, NAME_WIDTH, ems)
  if (fits >= nameSizes.leastOnOneLine) return text({ ...style, lineHeight: 1.2, fontSize: fits }, name)
  // Words rarely fill the first line: a sixth is lost.
  const fontSize = Math.max(nameSizes.least, fitSize(nameSizes.leastOnOneLine, (NAME_WIDTH * 2 * 5) / 6, ems))
  const lines = { display: 'block', width: LINE_WIDTH, lineClamp: 2, wordBreak: 'break-word', lineHeight: 1.15 }
  return { type: 'div', props: { style: { ...style, ...lines, fontSize }, children: name } }
}

/** Whether the first letter with a direction is of a script that runs to the left. */
const isRightToLeft = (name: string) => /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufefc]/u.test(name)

async function drawLabel(label: string, measure: Measure): Promise<Element> {
  const style = { fontWeight: 600, color: palette.soft }
  const fontSize = fitSize(32, LABEL_WIDTH, await measure(style, label))
  return text({ ...style, fontSize, lineHeight: 1.2, marginRight: 20 }, label)
}

/** Shown below the name: the symbol, or the address if there is no symbol or it is the name. Nothing is shown twice. */
function labelOf({ name, symbol, address }: TokenHead): string | null {
  const label = symbol === '' || symbol === name ? shortenAddress(address) : symbol
  return label === name ? null : label
}

function drawBadge({ status, lifecycle }: TokenHead, { color }: Brand): Element {
  const [label, tint] = {
    curve: ['On the curve', lighten(color, 0.35)],
    completed: ['Sold out', '#fbbf24'],
    graduated: [lifecycle === 'curve' ? 'Graduated' : 'In its pool', palette.up],
  }[status] as [string, string]
  return box(
    {
      alignItems: 'center',
      padding: '6px 18px 7px 16px',
      borderRadius: 999,
      backgroundColor: fade(tint, 0.13),
      border: `1px solid ${fade(tint, 0.35)}`,
    },
    box({ width: 10, height: 10, borderRadius: 5, backgroundColor: tint, marginRight: 10 }),
    text({ fontSize: 22, fontWeight: 600, color: tint }, label),
  )
}
