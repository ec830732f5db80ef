import t from 'tap'
import type { ProfitCard } from '../../features/link-previews/card.ts'
import { drawBrandCard } from '../../features/link-previews/draw-brand-card.ts'
import { drawTokenCard, drawTokenGround } from '../../features/link-previews/draw-card.ts'
import { drawProfitCard } from '../../features/link-previews/draw-profit-card.ts'
import { isEmoji } from '../../features/link-previews/emoji.ts'
import { fitSize } from '../../features/link-previews/measure.ts'
import { fade, lighten, mix, tintOf } from '../../features/link-previews/palette.ts'
import { makeCardJob, profitCard } from '../support/card-job.ts'

const { brand } = makeCardJob()
const size = { width: 1200, height: 630 }

interface Node {
  type: string
  props: { style: Record<string, unknown>; children?: unknown; src?: string }
}

/** All nodes of a layout tree, the outermost first. */
function listNodes(node: unknown): Node[] {
  if (Array.isArray(node)) return node.flatMap(listNodes)
  if (typeof node !== 'object' || node === null) return []
  return [node as Node, ...listNodes((node as Node).props.children)]
}

/** The nodes of a token's card; `ems` is the width of every text. */
async function drawNodes(change: Parameters<typeof makeCardJob>[0] = {}, ems = 1, image: string | null = null) {
  const { card } = makeCardJob(change)
  if (card.kind !== 'token') throw new Error('not of a token')
  return listNodes(await drawTokenCard(card, brand, size, image, async () => ems))
}
const textsOf = (nodes: Node[]) => nodes.map(({ props }) => props.children).filter((one) => typeof one === 'string')
const styleOf = (nodes: Node[], text: string) => nodes.find(({ props }) => props.children === text)?.props.style
/** The SVG images of a card. */
const drawingsOf = (nodes: Node[]) =>
  nodes.flatMap(({ props }) =>
    props.src?.startsWith('data:image/svg+xml;base64,')
      ? [Buffer.from(props.src.split(',')[1] ?? '', 'base64').toString()]
      : [],
  )

t.test('a card shows the texts of its token, each once', async (t) => {
  t.strictSame(textsOf(await drawNodes()), [
    ...[
      'H',
      'Harbour Cat',
      'HCAT',
      'On the curve',
      'Price · 24h in ETH',
      '$0.0',
      '5',
      '709',
      '+89.06%',
      'Market cap',
      '$7.09K',
    ],
    ...['Bonding curve', '62%', 'Slipway'],
  ])
  t.notOk(textsOf(await drawNodes({ marketCap: null })).includes('Market cap'))
  t.ok(textsOf(await drawNodes({ price: '$12.34' })).includes('$12.34'))
  const sold = textsOf(await drawNodes({ status: 'completed' }))
  t.ok(sold.includes('Sold out') && sold.includes('Bonding curve'))
  const graduated = textsOf(await drawNodes({ status: 'graduated' }))
  t.ok(graduated.includes('Graduated') && graduated.includes('Curve complete, trading in its pool'))
  t.notOk(graduated.includes('Bonding curve'))
})

t.test('a profit shows the texts of its token and its trader, and the unit of each figure', async (t) => {
  const draw = async (change: Partial<ProfitCard>, ems = 1) =>
    listNodes(await drawProfitCard({ ...profitCard, ...change }, brand, size, null, async () => ems))
  t.strictSame(textsOf(await draw({})), [
    ...['H', 'Harbour Cat', 'HCAT', 'On the curve', 'Profit', '+0.0', '5', '709 ETH', '+38.02%'],
    ...['Bought', '3.26 ETH', 'Sold', '2.10 ETH', 'Holding', '2.40 ETH', 'captain', 'Slipway'],
  ])
  const loss = textsOf(await draw({ direction: 'down', change: null }))
  t.ok(loss.includes('Loss') && !loss.includes('+38.02%'))
  t.match(styleOf(await draw({}), 'captain'), { fontSize: 30 })
  t.match(styleOf(await draw({}, 40), 'captain'), { fontSize: 17 }, 'a long name fits beside the brand')
})

t.test('below the name is the symbol, or the address, or nothing that is shown already', async (t) => {
  const labels = async (name: string, symbol: string) => textsOf(await drawNodes({ name, symbol })).slice(0, 4)
  const short = '0x9fe4…a6e0'
  t.strictSame(await labels('Cat', 'HC'), ['H', 'Cat', 'HC', 'On the curve'])
  t.strictSame(await labels('HC', 'HC'), ['H', 'HC', short, 'On the curve'])
  t.strictSame(await labels('Cat', ''), ['C', 'Cat', short, 'On the curve'])
  t.strictSame((await labels(short, '')).slice(0, 3), ['0', short, 'On the curve'])
  t.notOk((await drawNodes({ name: short, symbol: '' })).some(({ props }) => props.children === null))
  t.strictSame((await labels('', '')).slice(0, 3), ['?', '', short])
})

t.test('head and footer are as wide as the card without its edges', async (t) => {
  const placed = (await drawNodes()).flatMap(({ props: { style } }) => (style.position === 'absolute' ? [style] : []))
  t.hasStrict(placed, [
    { left: 64, top: 56, width: 1072 },
    { left: 64, top: 518, width: 1072, height: 112 },
  ])
  const nodes = await drawNodes()
  t.hasStrict(styleOf(nodes, 'Slipway'), { fontSize: 34, marginLeft: 15 })
  t.ok(drawingsOf(nodes).some((drawing) => drawing.includes('width="48" height="48" viewBox="0 0 48 48"')))
})

t.test('the change has an arrow up or down, and none without a change', async (t) => {
  const arrows = async (direction: 'up' | 'down' | 'flat') =>
    drawingsOf(await drawNodes({ direction })).flatMap((drawing) => /d="(M11[^"]*)"/.exec(drawing)?.[1] ?? [])
  t.strictSame(await arrows('up'), ['M11 3 L20 18 H2 Z'])
  t.strictSame(await arrows('down'), ['M11 19 L2 4 H20 Z'])
  t.strictSame(await arrows('flat'), [])
  for (const [direction, color] of [
    ['up', '#34d399'],
    ['down', '#fb7185'],
    ['flat', '#94a3b8'],
  ] as const)
    t.equal(styleOf(await drawNodes({ direction }), '+89.06%')?.color, color)
})

t.test('the bar of the curve is as long as the progress, and never shorter than high', async (t) => {
  const bar = async (progress: number) =>
    (await drawNodes({ progress })).find(({ props }) => String(props.style.backgroundImage).includes('90deg'))?.props
      .style.width
  t.strictSame(await Promise.all([0, 2, 3, 50, 100, 250].map(bar)), [16, 16, 19, 310, 620, 620])
})

t.test('a name shrinks to one line, then takes two', async (t) => {
  const style = async (ems: number) => styleOf(await drawNodes({}, ems), 'Harbour Cat')
  t.hasStrict(await style(1), { fontSize: 68, whiteSpace: 'pre' })
  t.hasStrict(await style(16), { fontSize: 56, whiteSpace: 'pre' })
  t.hasStrict(await style(896 / 46), { fontSize: 46, whiteSpace: 'pre' })
  t.hasStrict(await style(20), { fontSize: 46, lineClamp: 2, width: 864 })
  t.hasStrict(await style(40), { fontSize: 37, lineClamp: 2 })
  t.hasStrict(await style(100), { fontSize: 34, lineClamp: 2 }, 'the rest is truncated')
  t.equal(styleOf(await drawNodes({}, 31), 'HCAT')?.fontSize, 20, 'a symbol shrinks, too')
  t.equal(styleOf(await drawNodes({}, 1), 'HCAT')?.fontSize, 32)
  t.equal(styleOf(await drawNodes({}, 1), 'H')?.fontSize, 68)
  t.equal(styleOf(await drawNodes({}, 2), 'H')?.fontSize, 56, 'a wide letter stays within the picture')
})

t.test('names of scripts that run to the left are set from the right', async (t) => {
  const direction = async (name: string) => styleOf(await drawNodes({ name }), name)?.direction
  t.equal(await direction('חתול'), 'rtl')
  t.equal(await direction('1 قط'), 'rtl', 'the first letter decides')
  t.equal(await direction('Cat חתול'), undefined)
})

t.test('the picture is the image, or a letter on the colours of the address', async (t) => {
  const [image] = (await drawNodes({}, 1, 'data:image/png;base64,AA==')).filter(({ type }) => type === 'img')
  t.hasStrict(image, { props: { src: 'data:image/png;base64,AA==', width: 136, height: 136 } })
  const placed = await drawNodes()
  t.ok(placed.some(({ props }) => String(props.style.backgroundImage).includes(tintOf(makeAddress()).join(', '))))
})
const makeAddress = () => {
  const { card } = makeCardJob()
  return card.kind === 'token' ? card.address : ''
}

t.test('the chart ends at the last price, between the head and the footer', async (t) => {
  const ground = (height: number, sparkline: number[]) => {
    const { card } = makeCardJob({ sparkline })
    return drawTokenGround(card as Parameters<typeof drawTokenGround>[0], brand, { width: 1200, height })
  }
  const dots = (markup: string) =>
    [...markup.matchAll(/<circle cx="([^"]+)" cy="([^"]+)" r="([^"]+)"/g)].map((found) => found.slice(1).map(Number))
  t.strictSame(dots(ground(630, [0, 100])), [
    [1117, 378, 19],
    [1117, 378, 9],
    [1117, 378, 4],
  ])
  t.strictSame(dots(ground(630, [100, 0]))[0], [1117, 488, 19])
  t.strictSame(dots(ground(800, [0, 100]))[0], [1117, 420, 19], 'lower on a higher card')
  t.strictSame(dots(ground(700, [0, 100]))[0], [1117, 378, 19])
  const markup = ground(630, [50, 50])
  t.ok(markup.includes('<rect width="1200" height="630"'))
  t.ok(markup.includes('<path d="M-6 433C368.3 433 742.7 433 1117 433L1117 518L-6 518Z" fill="url(#under)"/>'), markup)
  t.ok(markup.includes('x1="0" y1="378" x2="0" y2="518"'))
})

t.test('the card of the service shows its name and its host', async (t) => {
  const nodes = listNodes(drawBrandCard(brand, size))
  t.strictSame(textsOf(nodes), ['Slipway', 'Tokens, launched on a curve', 'launch.example'])
  t.hasStrict(styleOf(nodes, 'launch.example'), { top: 546, width: 1200, position: 'absolute' })
  t.match(drawingsOf(nodes)[0], /^<svg [^>]*width="128".*scale\(2\.66/)
})

t.test('colours are mixed by their share', (t) => {
  t.equal(mix('#000000', '#ffffff', 0), '#000000')
  t.equal(mix('#000000', '#ffffff', 1), '#ffffff')
  t.equal(mix('#102030', '#304050', 0.5), '#203040')
  t.equal(mix('#ff0000', '#00ff08', 0.25), '#bf4002')
  t.equal(lighten('#000000', 0.2), '#333333')
  t.equal(fade('#102030', 0.25), 'rgba(16, 32, 48, 0.25)')
  t.strictSame(tintOf('0x000168'), ['hsl(0, 78%, 60%)', 'hsl(50, 82%, 42%)'])
  t.strictSame(tintOf('0x000154ffff'), ['hsl(340, 78%, 60%)', 'hsl(30, 82%, 42%)'])
  t.end()
})

t.test('a text fits its room by its width in ems', (t) => {
  t.equal(fitSize(68, 896, 10), 68)
  t.equal(fitSize(68, 896, 20), 44)
  t.equal(fitSize(68, 896, 0), 68, 'a text without width')
  t.end()
})

t.test('an emoji is drawn as an image only where it is presented as one', (t) => {
  for (const emoji of ['🚀', '🇰🇷', '👍🏽', '1️⃣', '☀️', '👨‍👩‍👧']) t.ok(isEmoji(emoji), emoji)
  for (const character of ['1', '©', '☺', 'a', '猫', '']) t.notOk(isEmoji(character), character)
  t.end()
})
