import t from 'tap'
import { looksLikeImage, looksLikeSvg } from '../../lib/images/image-limits.ts'
import { screenSvg } from '../../lib/images/screen-svg.ts'

t.test('images are recognised by their signatures', async (t) => {
  const of = (text: string) => looksLikeImage(Buffer.from(text, 'latin1'))
  for (const text of ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'GIF87a', 'GIF89a', 'RIFF1234WEBP'])
    t.ok(of(`${text} and more`) || of(text), JSON.stringify(text))
  for (const text of ['', '\x89PNG', '\xff\xd8', 'GIF88a', 'RIFF1234WAVE', 'RIFF', ' GIF89a', 'WEBP', '<svg>'])
    t.notOk(of(text), JSON.stringify(text))
})

t.test('an SVG is recognised after a byte order mark, comments and a DOCTYPE', async (t) => {
  for (const text of [
    '<svg>',
    '<SVG>',
    '\ufeff<?xml version="1.0"?>\n<!-- a --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n<svg a="b">',
  ])
    t.ok(looksLikeSvg(Buffer.from(text)), text)
  for (const text of ['', 'svg', '<svgs>', '<html><svg>', 'a<svg>', `${' '.repeat(2_000)}<svg>`])
    t.notOk(looksLikeSvg(Buffer.from(text)), text)
})

t.test('a text of many comments is rejected in linear time if it is not an SVG', async (t) => {
  const comments = '<!---->'.repeat(280)
  t.notOk(looksLikeSvg(Buffer.from(comments)))
  t.ok(looksLikeSvg(Buffer.from(`${comments}<svg>`)))
  t.ok(looksLikeSvg(Buffer.from('<!-- a -- > <svg> --><!--> --><svg>')))
})

/** Draws a circle at x within a group: 512 pixels stand for 51.2 units, so that 10,000 units are the limit. */
const draw = (transform: string, x: number) =>
  screenSvg(
    Buffer.from(`<svg viewBox="0 0 51.2 51.2"><g transform="${transform}"><circle cx="${x}" cy="1" r="1"/></g></svg>`),
  )

t.test('coordinates are bounded after all transforms', async (t) => {
  for (const [transform, factor] of [
    ['', 1],
    ['translate(5 5)', 1],
    ['scale(0.1)', 1],
    ['scale(4)', 4],
    ['scale(1, 4)', 4],
    ['scale(4 1)', 4],
    ['scale(-4)', 4],
    ['matrix(1 0 3 1 0 0)', 4],
    ['matrix(1 3 0 1 0 0)', 4],
    ['matrix(-1 0 -3 1 0 0)', 4],
    ['matrix(4 0 0 1 9 9)', 4],
    ['matrix(1 0 0 4 9 9)', 4],
    ['rotate(45)', 1.42],
    ['skewX(45)', 2],
    ['skewY(-45)', 2],
    ['scale(2), scale(2)', 4],
    [' scale(2) translate(1)\n rotate(30) ', 2.84],
  ] as const) {
    const most = Math.floor(10_000 / factor)
    t.ok(draw(transform, most - 1), transform)
    t.throws(() => draw(transform, most + 1), { message: 'Not a plain drawing: a number' }, transform)
  }
  t.ok(draw('translate(500000 0)', 1), 'a transform has a bound of its own')
})

t.test('transforms that are unknown, malformed or too large are rejected', async (t) => {
  for (const transform of [
    ...[
      'perspective(5)',
      'scale(2) perspective(5)',
      'scale',
      'scale(2',
      'scale(2);',
      'scale(a)',
      'SCALE(2)',
      ';scale(2)',
    ],
    ...['scale(1000001)', 'translate(1e7)', 'rotate(1e400)', 'matrix(1 0 0 1 -2000000 0)'],
  ])
    t.throws(() => draw(transform, 1), { message: 'Not a plain drawing: a transform' }, transform)
})

t.test('a paint may refer to a gradient of the drawing, and nothing may refer to anything else', async (t) => {
  const screen = (attributes: string) =>
    screenSvg(
      Buffer.from(
        '<svg viewBox="0 0 8 8"><defs><linearGradient id="g"><stop offset="0" stop-color="#f00"/></linearGradient></defs>' +
          `<path d="M0 0h8v8z" ${attributes}/></svg>`,
      ),
    )
  for (const accepted of ['fill="url(#g)"', 'stroke="url(#g) #0f0"', `style="fill:url('#g')"`])
    t.doesNotThrow(() => screen(accepted), accepted)
  for (const rejected of [
    'fill="url(https://a.example/b.svg#g)"',
    'fill="url(#g) url(#g)"',
    'stroke-linecap="url(#g)"',
  ])
    t.throws(() => screen(rejected), { message: 'Not a plain drawing: a reference' }, rejected)
})
