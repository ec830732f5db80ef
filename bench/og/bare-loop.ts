// A thread that only runs satori and resvg in a loop: layout, drawing, encoding.
import { parentPort, workerData } from 'node:worker_threads'
import { Resvg } from '@resvg/resvg-js'
import satori from 'satori'
import { ratios } from '../../features/link-previews/card.ts'
import { drawTokenCard, drawTokenGround } from '../../features/link-previews/draw-card.ts'
import { baseFonts } from '../../features/link-previews/fonts.ts'
import { brand, makeCard } from './cards.ts'

const { warmUp, count } = workerData as { warmUp: number; count: number }
const size = ratios['1.91:1']
const fonts = [...baseFonts]

let start = 0
for (let index = 0; index < warmUp + count; index++) {
  if (index === warmUp) start = performance.now()
  const card = makeCard(index)
  // Measuring texts is the service's own: here, every text has the same width.
  const tree = await drawTokenCard(card, brand, size, null, async () => 8)
  const text = await satori(tree as never, { ...size, fonts })
  const svg = text.replace(/^<svg[^>]*>/, (opening) => opening + drawTokenGround(card, brand, size))
  new Resvg(svg, { font: { loadSystemFonts: false } }).render().asPng()
}
parentPort?.postMessage((count / (performance.now() - start)) * 1000)
