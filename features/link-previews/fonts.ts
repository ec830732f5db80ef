import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { SatoriOptions } from 'satori'
import subsetFont from 'subset-font'
import { readCoverage } from './coverage.ts'
import { flipVerticalOffsets } from './flip-offsets.ts'

export type Font = SatoriOptions['fonts'][number]
type Weight = 500 | 600 | 700 | 800

/** A font file that covers some ranges of characters, loaded on first use. */
interface Slice {
  name: string
  path: string
  ranges: readonly (readonly [first: number, last: number])[]
  /** False for a font with a single weight. */
  variable: boolean
}

interface LoadedSlice {
  font: Font
  covers: Set<number>
}

const require = createRequire(import.meta.url)

/** Bounds memory: names in many scripts would otherwise load every slice. */
const slices = new LRUCache<string, Promise<LoadedSlice>>({ max: 96 })

const inter = await listSlices('@fontsource-variable/inter', 'inter', 'wght-normal', true)
const japanese = await listSlices('@fontsource-variable/noto-sans-jp', 'noto-sans-jp', 'wght-normal', true)
const korean = await listSlices('@fontsource-variable/noto-sans-kr', 'noto-sans-kr', 'wght-normal', true)
const chinese = await listSlices('@fontsource-variable/noto-sans-sc', 'noto-sans-sc', 'wght-normal', true)
/**
 * Scripts that only their own font covers, each with the slice of its letters. The packages are named in full, because the check
 * for unused packages does not see a name that is put together.
 */
const scripts = await Promise.all(
  [
    ['Arabic', '@fontsource-variable/noto-sans-arabic'],
    ['Devanagari', '@fontsource-variable/noto-sans-devanagari'],
    ['Hebrew', '@fontsource-variable/noto-sans-hebrew'],
    ['Thai', '@fontsource-variable/noto-sans-thai'],
  ].map(async ([script = '', packageName = '']) => {
    const id = `noto-sans-${script.toLowerCase()}`
    const slices = await listSlices(packageName, id, 'wght-normal', true)
    const letters = slices.filter(({ name }) => name === `${id}-${script.toLowerCase()}`)
    return { isIn: new RegExp(`\\p{Script=${script}}`, 'u'), letters }
  }),
)
const symbols = await listSlices('@fontsource/noto-sans-symbols-2', 'noto-sans-symbols-2', '400-normal', false)

/** Latin in the weights of the design, for every card. */
export const baseFonts: readonly Font[] = await Promise.all(
  ([500, 600, 800] as const).map(async (weight): Promise<Font> => {
    const latin = inter.find(({ name }) => name === 'inter-latin') as Slice
    return { name: 'Inter', data: await readSlice(latin, weight), weight, style: 'normal' }
  }),
)
const latin = readCoverage(baseFonts[0]?.data as Buffer)

async function listSlices(pack: string, id: string, style: string, variable: boolean): Promise<Slice[]> {
  const folder = dirname(require.resolve(`${pack}/package.json`))
  const index = JSON.parse(await readFile(join(folder, 'unicode.json'), 'utf8')) as Record<string, string>
  return Object.entries(index).map(([key, ranges]) => {
    const part = key.replace(/[[\]]/g, '')
    return {
      name: `${id}-${part}`,
      path: join(folder, 'files', `${id}-${part}-${style}.woff2`),
      ranges: ranges.split(',').map((range) => {
        const [first, last = first] = range.replace('U+', '').split('-') as [string, string?]
        return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const
      }),
      variable,
    }
  })
}

/** Converts to TrueType at one weight: satori reads neither WOFF2 nor variable fonts. */
async function readSlice({ path, variable }: Slice, weight: Weight): Promise<Buffer> {
  const axes = variable ? { variationAxes: { wght: weight } } : {}
  const file = await readFile(path)
  const font = await subsetFont(file, undefined, {
    targetFormat: 'sfnt',
    keepAllGlyphs: true,
    noHinting: true,
    ...axes,
  })
  flipVerticalOffsets(font)
  return font
}

function loadSlice(slice: Slice): Promise<LoadedSlice> {
  const known = slices.get(slice.name)
  if (known) return known
  const loading = readSlice(slice, 700).then((data) => ({
    font: { name: slice.name, data, weight: 700 as const, style: 'normal' as const },
    covers: readCoverage(data),
  }))
  slices.set(slice.name, loading)
  loading.catch(() => slices.delete(slice.name))
  return loading
}

function orderFamilies(text: string): Slice[][] {
  const found = scripts.filter(({ isIn }) => isIn.test(text)).map(({ letters }) => letters)
  return [inter, ...found, ...orderHan(text), symbols]
}

/** Han glyphs differ by language: kana or Hangul in the same text identify it. */
function orderHan(text: string): Slice[][] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return [japanese, chinese, korean]
  if (/\p{Script=Hangul}/u.test(text)) return [korean, chinese, japanese]
  return [chinese, japanese, korean]
}

/**
 * The fonts that a grapheme needs beyond baseFonts; null if one of its characters has no glyph in any font. `text`
 * contains the grapheme and determines the order of the font families.
 */
export async function findFonts(grapheme: string, text: string): Promise<Font[] | null> {
  const found: Font[] = []
  for (const character of grapheme) {
    const point = character.codePointAt(0) as number
    if (latin.has(point)) continue
    const font = await findFont(point, orderFamilies(text))
    if (!font) return null
    found.push(font)
  }
  return found
}

async function findFont(point: number, families: readonly Slice[][]): Promise<Font | null> {
  for (const family of families) {
    for (const slice of family) {
      if (!slice.ranges.some(([first, last]) => point >= first && point <= last)) continue
      const { font, covers } = await loadSlice(slice)
      if (covers.has(point)) return font
    }
  }
  return null
}
