import sharp from 'sharp'
import t from 'tap'
import { drawBrandGround } from '../../features/link-previews/draw-brand-card.ts'
import { mix } from '../../features/link-previews/palette.ts'
import { renderCard } from '../../features/link-previews/render.ts'
import { drawPath, placePoints } from '../../features/link-previews/sparkline.ts'
import { makeCardJob } from '../support/card-job.ts'

t.test('the line of the lowest price lies above the footer, and ends with a dot inside of the margin', async (t) => {
  const { data, info } = await sharp(await renderCard(makeCardJob({ sparkline: [100, 0, 0, 0, 0] })))
    .raw()
    .toBuffer({ resolveWithObject: true })
  const isTinted = (x: number, y: number) => {
    const at = (y * info.width + x) * info.channels
    return [...data.subarray(at, at + 3)].every((value, n) => Math.abs(value - ([0x34, 0xd3, 0x99][n] ?? 0)) < 12)
  }
  const rows = Array.from({ length: info.height }, (_, y) => y).filter((y) => y > 400 && isTinted(600, y))
  t.same(rows, [486, 487, 488, 489])
  const columns = Array.from({ length: info.width }, (_, x) => x).filter((x) => isTinted(x, 488))
  t.equal(columns.at(-1), 1125)
})

t.test('a sparkline passes through every price and overshoots none', async (t) => {
  const points = placePoints([0, 100, 100, 20, 50], { left: 0, right: 400, top: 10, bottom: 110 })
  t.same(
    points.map(({ x, y }) => [x, y]),
    [
      [0, 110],
      [100, 10],
      [200, 10],
      [300, 90],
      [400, 60],
    ],
  )
  const numbers =
    drawPath(points)
      .match(/-?[\d.]+/g)
      ?.map(Number) ?? []
  for (let at = 1; at < numbers.length; at += 2) t.ok((numbers[at] as number) >= 10 && (numbers[at] as number) <= 110)
  t.equal(drawPath([]), '')
})

t.test('a sparkline has the slope of Fritsch and Butland where the price goes on rising', async (t) => {
  const points = [0, 6, 9].map((y, at) => ({ x: at * 3, y }))
  // At the middle: 2 * 6 * 3 / (6 + 3) = 4 for a step of 3.
  t.equal(drawPath(points), 'M0 0C1 0 2 4.7 3 6C4 7.3 5 9 6 9')
})

t.test('the curve behind the brand begins at the floor and ends where all is sold', async (t) => {
  const ground = drawBrandGround({ name: 'Slipway', color: '#34d399', host: 'example.org' } as never, {
    width: 1200,
    height: 630,
  })
  const [, line = ''] = /<path d="M([^"]*)" fill="none"/.exec(ground) ?? []
  const points = line.split('L').map((point) => point.split(' ').map(Number))
  t.equal(points.length, 121)
  t.strictSame(points[0], [0, 518])
  t.strictSame(points[60]?.[0], 600)
  t.strictSame(points.at(-1), [1200, 114.8])
})

t.test('colours mix by their share, channel by channel', async (t) => {
  t.equal(mix('#000000', '#ffffff', 0.5), '#808080')
  t.equal(mix('#102030', '#203010', 0.25), '#142428')
  t.equal(mix('#102030', '#ffffff', 0), '#102030')
})
