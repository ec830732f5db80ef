// What a card shows of unusual characters, by its pixels.
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import satori from 'satori'
import sharp from 'sharp'
import t from 'tap'
import type { TokenCard } from '../../features/link-previews/card.ts'
import { baseFonts, findFonts } from '../../features/link-previews/fonts.ts'
import { createGlyphs, prepareText } from '../../features/link-previews/prepare-text.ts'
import { renderCard } from '../../features/link-previews/render.ts'
import { fitText } from '../../features/link-previews/text.ts'
import { makeCardJob } from '../support/card-job.ts'

const WIDTH = 1200
const draw = async (change: Partial<TokenCard>) => {
  const png = await renderCard(makeCardJob(change))
  return sharp(png).removeAlpha().raw().toBuffer()
}

interface Area {
  left: number
  right: number
  top: number
  bottom: number
}
const PICTURE: Area = { left: 64, right: 200, top: 40, bottom: 210 }
/** Name, symbol and stage; marks may rise above the name. */
const TEXTS: Area = { left: 230, right: 1137, top: 20, bottom: 210 }

/** Free of ink if a text fits, and is not just cut off. */
const EDGES: Area[] = [
  { ...PICTURE, right: PICTURE.left + 8 },
  { ...PICTURE, left: PICTURE.right - 8 },
  { ...TEXTS, left: TEXTS.right - 2 },
]

/** Pixels of each area that differ between two cards, and of the rest. */
function compare(one: Buffer, other: Buffer) {
  const counts = { picture: 0, texts: 0, outside: 0, edges: 0 }
  for (let at = 0; at < one.length; at += 3) {
    if (one[at] === other[at] && one[at + 1] === other[at + 1] && one[at + 2] === other[at + 2]) continue
    const [x, y] = [(at / 3) % WIDTH, Math.floor(at / 3 / WIDTH)]
    const isIn = ({ left, right, top, bottom }: Area) => x >= left && x < right && y >= top && y < bottom
    if (EDGES.some(isIn)) counts.edges++
    if (isIn(PICTURE)) counts.picture++
    else if (isIn(TEXTS)) counts.texts++
    else counts.outside++
  }
  return counts
}

/** Drawn, but without any ink: fitText removes it. */
const BLANK = '\u2800'

t.test('Han characters have the glyphs of the language of the text', async (t) => {
  for (const [text, family] of [
    ['直', 'noto-sans-sc'],
    ['直す', 'noto-sans-jp'],
    ['直ス', 'noto-sans-jp'],
    ['직直', 'noto-sans-kr'],
  ] as const)
    t.match(
      (await findFonts('直', text))?.map(({ name }) => name),
      [new RegExp(`^${family}`)],
      text,
    )
})

t.test(
  'the picture, the symbol and the name show wide, stacked and composed characters, within their boxes',
  async (t) => {
    const blankSymbol = await draw({ symbol: BLANK })
    const blankName = await draw({ name: BLANK })
    for (const text of [
      '\u{1faf8}\u{1f3fd}',
      '🧑🏽\u200d🤝\u200d🧑🏿',
      '🐱\u0301',
      '🐱\u{1f3fd}',
      '\ufdfd',
      '\ufdfd'.repeat(4),
      '⸻⸻⸻',
      'W'.repeat(14),
      `A${'\u0301'.repeat(3)}`,
      '\u0301\u0302',
      '\u0488\u0489',
      'ب\u0898\u0899\u089b',
      '#\u20e3',
      'क्षक्षक्ष',
    ]) {
      const label = Array.from(text, (character) => character.codePointAt(0)?.toString(16)).join(' ')
      const symbol = compare(await draw({ symbol: fitText(text, 14) }), blankSymbol)
      t.ok(symbol.picture > 20 && symbol.texts > 20, `${label} shows in the picture and as symbol`)
      t.equal(symbol.outside, 0, `${label} as symbol stays within`)
      if (!/\p{M}/u.test(text)) t.equal(symbol.edges, 0, `${label} as symbol fits`)
      const name = compare(await draw({ name: fitText(text, 64) }), blankName)
      t.ok(name.texts > 20, `${label} shows as name`)
      t.equal(name.outside + name.picture, 0, `${label} as name stays within`)
      if (!/\p{M}/u.test(text)) t.equal(name.edges, 0, `${label} as name fits`)
    }
  },
)

t.test('a name of diacritics without a base is replaced with the symbol or the address', async (t) => {
  const glyphs = createGlyphs()
  for (const marks of ['\u0301\u0302', '\u0488\u0489', '\u0301 \u0302']) t.equal(await prepareText(marks, glyphs), '')
  t.equal(await prepareText('a \u0301b', glyphs), 'a b')
})

t.test('each emoji sequence of Twemoji is drawn as one image', async (t) => {
  const folder = dirname(createRequire(import.meta.url).resolve('@twemoji/svg/package.json'))
  const names = (await readdir(folder)).filter((name) => name.endsWith('.svg'))
  const emoji = names
    .map((name) =>
      String.fromCodePoint(
        ...name
          .replace('.svg', '')
          .split('-')
          .map((point) => Number.parseInt(point, 16)),
      ),
    )
    // Others have text presentation, and a glyph in a font.
    .map((sequence) => (/^\P{Emoji_Presentation}$/u.test(sequence) ? `${sequence}\ufe0f` : sequence))
    .filter((sequence) => !/^\p{Co}/u.test(sequence))
  t.ok(emoji.length > 3_700, `${emoji.length}`)
  const glyphs = createGlyphs()
  const letters: string[] = []
  for (const sequence of emoji) letters.push(await prepareText(sequence, glyphs))
  const lost = emoji.filter((_, at) => glyphs.images[letters[at] as string] === undefined)
  t.same(lost, [])
  const svg = await satori(
    {
      type: 'div',
      props: { style: { width: 400, fontSize: 4, wordBreak: 'break-all' }, children: letters.join('') },
    } as never,
    { width: 400, height: 400, fonts: [...baseFonts], graphemeImages: glyphs.images },
  )
  t.equal(svg.match(/<image/g)?.length, emoji.length)
})

t.test('an emoji sequence that Twemoji lacks is drawn as its parts', async (t) => {
  const glyphs = createGlyphs()
  t.equal(await prepareText('🐱\u200d🚀', glyphs), await prepareText('🐱🚀', glyphs))
  t.equal(Object.keys(glyphs.images).length, 2)
})
