import type { Random } from '../seeded-random.ts'

type Draw = (random: Random) => string

const svg = (inner: string, box = '0 0 9 9') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="${box}">${inner}</svg>`
const repeat = (part: string, count: number) => part.repeat(count)
/** As many of a part as an SVG may hold. */
const fill = (part: string) => svg(repeat(part, Math.floor(62_000 / part.length)), '0 0 512 512')
const number = (random: Random) =>
  `${random(2) ? '-' : ''}${random(10_000)}.${random(1_000)}e${['-', ''][random(2)]}${random(random(4) ? 8 : 40)}`
const path = (random: Random, count: number) =>
  Array.from(
    { length: count },
    () => 'MLQCHVSTAZ'[random(10)] + Array.from({ length: 7 }, () => number(random)).join(' '),
  ).join('')

/** SVGs that attack a rasterizer, by crashes or by load. */
export const createDrawings = (): [name: string, draw: Draw][] => [
  [
    'SVG with a giant stroke',
    () =>
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0L1e8 1e8" stroke="red" stroke-width="1e8"/></svg>',
  ],
  [
    'SVG with numbers of any size',
    (random) => svg(`<path d="M0 0${path(random, 20)}" stroke="red" stroke-width="${number(random)}"/>`),
  ],
  [
    'SVG with large numbers that pass',
    (random) =>
      svg(
        `<path d="M0 0L${random(1_500)} ${random(1_500)}L-${random(1_700)} ${random(900)}" stroke="red" stroke-linejoin="round" stroke-width="${random(1_700)}"/>`,
      ),
  ],
  ['SVG in a tiny view box', () => svg('<circle r="1"/>', '0 0 1e-30 1e-30')],
  ['SVG in a huge view box', () => svg('<circle r="1e30"/>', '0 0 1e30 1e30')],
  ['SVG of NaN', () => svg('<rect width="NaN" height="Infinity"/><path d="MNaN NaN"/>', 'NaN NaN NaN NaN')],
  [
    'SVG far too high',
    () => '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="900000"><rect width="1" height="1"/></svg>',
  ],
  ['SVG nested deeply', () => svg(repeat('<g>', 7_000) + repeat('</g>', 7_000))],
  [
    'SVG of layers in layers',
    () => svg(`${repeat('<g opacity=".9">', 29)}<rect width="9" height="9"/>${repeat('</g>', 29)}`),
  ],
  [
    'SVG of entities',
    () =>
      `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${Array.from('bcdefghij', (name, at) => `<!ENTITY ${name} "${repeat(`&${'abcdefghi'[at]};`, 10)}">`).join('')}]>${svg('<title>&j;</title>')}`,
  ],
  ['SVG that uses itself', () => svg('<g id="a"><use xlink:href="#a"/></g><use href="#a"/>')],
  [
    'SVG of uses of uses',
    () =>
      svg(
        Array.from({ length: 30 }, (_, at) => `<g id="g${at + 1}">${repeat(`<use href="#g${at}"/>`, 10)}</g>`).join(''),
      ),
  ],
  [
    'SVG of patterns in patterns',
    () =>
      svg(
        '<pattern id="a" width=".001" height=".001"><rect width="9" height="9" fill="url(#a)"/></pattern><rect width="9" height="9" fill="url(#a)"/>',
      ),
  ],
  ['SVG of blurred rectangles', () => fill('<rect width="512" height="512" filter="blur(60px)"/>')],
  [
    'SVG of filters',
    () =>
      svg(
        `<filter id="a">${repeat('<feTurbulence numOctaves="99"/><feGaussianBlur stdDeviation="900"/>', 400)}</filter><rect width="9" height="9" filter="url(#a)"/>`,
      ),
  ],
  [
    'SVG of masks in masks',
    () =>
      svg('<mask id="a"><rect width="9" height="9" mask="url(#a)"/></mask><rect width="9" height="9" mask="url(#a)"/>'),
  ],
  [
    'SVG with a page in it',
    () =>
      svg(
        '<foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></body></foreignObject>',
      ),
  ],
  [
    'SVG with a file in it',
    () => svg('<image href="file:///etc/passwd" width="9" height="9"/><image xlink:href="/etc/passwd"/>'),
  ],
  ['SVG with a page behind it', () => svg('<image href="http://169.254.169.254/latest" width="9" height="9"/>')],
  [
    'SVG with a style',
    () => svg('<style>@import url(http://127.0.0.1:1/a.css); rect { filter: blur(9px) }</style><rect/>'),
  ],
  ['SVG of endless dashes', () => svg('<path d="M0 0L9 9" stroke="red" stroke-dasharray="1e-9"/>')],
  [
    'SVG of scales of scales',
    () => svg(`${repeat('<g transform="scale(999)">', 12)}<path d="M0 0L9 9" stroke="red"/>${repeat('</g>', 12)}`),
  ],
  ['SVG with as many shapes as it may', () => fill('<circle r="400" opacity=".5"/>')],
  [
    'SVG of one endless path',
    (random) =>
      svg(
        `<path d="M0 0${Array.from({ length: 7_000 }, () => `l${random(99) - 50} ${random(99) - 50}`).join('')}" stroke="red" stroke-width="90" stroke-linejoin="round"/>`,
        '0 0 512 512',
      ),
  ],
  [
    'SVG of gradients',
    () =>
      svg(
        `${Array.from({ length: 300 }, (_, at) => `<radialGradient id="a${at}" r="1e-5" spreadMethod="repeat"><stop offset="0"/><stop offset="1" stop-color="red"/></radialGradient><rect width="9" height="9" fill="url(#a${at})"/>`).join('')}`,
      ),
  ],
  ['SVG that is cut', (random) => svg(`<path d="${path(random, 9)}"/>`).slice(0, 100 + random(60))],
]
