import { svgLimits } from './image-limits.ts'

const MAX_ELEMENTS = 2_000
const MAX_DEPTH = 32
/** Maximum coordinate or stroke width in output pixels. resvg panics far above. */
const MAX_COORDINATE = 100_000
/** Limit for the sum of all numbers of one path: relative commands accumulate. */
const MAX_PATH_SUM = 10_000_000

const words = (text: string) => new Set(text.split(' '))
const elements = words(
  'svg g path rect circle ellipse line polyline polygon defs linearGradient radialGradient stop title desc',
)
/** Attributes whose values are lengths, or multiply lengths. */
const lengths = words(
  'x y x1 y1 x2 y2 cx cy r rx ry fx fy fr width height stroke-width stroke-miterlimit stroke-dashoffset offset',
)
const lists = words('d points')
const paints = words('fill stroke stop-color color')
const transforms = words('transform gradientTransform')
const plain = words(
  'fill-rule clip-rule fill-opacity stroke-opacity stroke-linecap stroke-linejoin opacity stop-opacity display ' +
    'visibility shape-rendering color-rendering paint-order vector-effect gradientUnits spreadMethod preserveAspectRatio ' +
    'viewBox version baseProfile id class role lang xml:space xml:lang enable-background overflow',
)
/** Editor metadata that is not rendered. */
const IGNORED = /^(xmlns|data-|aria-|(inkscape|sodipodi|sketch|figma|serif|bx):)/
/** Properties of text, which editors also set on shapes. */
const OF_TEXT = /^(font|text|line-height|letter-spacing|word-spacing|white-space|writing-mode)/
/** Rejected unless the value is none. */
const costly = words('clip-path mask filter stroke-dasharray marker marker-start marker-mid marker-end')

const COMMENTS = /<!--(?:(?!--)[\s\S])*-->/g
/** Before the drawing: a byte order mark, an XML declaration, and a DOCTYPE without declarations of its own. */
const PROLOGUE = /^[\s\ufeff]*(?:<\?xml[^<>]*\?>)?\s*(?:<!DOCTYPE\s+svg\b[^<>[\]]*>)?/i
/** Characters by number, and the five entities that XML defines. A text may have them, and attributes that are not rendered. */
const ENTITY = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});/gi
/** Elements of editors: left out with everything in them. */
const EDITOR_ELEMENT = /^(?:metadata|(?:inkscape|sodipodi|sketch|figma|serif|bx):.*)$/

const TAG = /<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))*)\s*(\/?)>/y
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi
const TRANSFORM = /\s*(matrix|translate|scale|rotate|skewX|skewY)\s*\(([-+.,\deE\s]*)\)\s*,?/y

/**
 * Returns the source of an untrusted SVG with only shapes and gradients of bounded count, nesting and extent. Throws for
 * references (images, use, entities of its own, styles) and costly features (filters, masks, patterns, dashes). Comments, texts,
 * and what editors store for themselves are left out. This saves child crashes; it is no security boundary: accepted SVGs are still rasterised in a child.
 */
export function screenSvg(svg: Buffer): string {
  if (svg.length > svgLimits.bytes) throw reject('too long')
  const source = svg.toString('utf8').replace(COMMENTS, '').replace(PROLOGUE, '').trimEnd()
  if (/[&\0]/.test(source.replace(ENTITY, ''))) throw reject('an entity')
  const kept: string[] = []
  /** Maximum scale, in pixels per unit, at each nesting level; null within an editor's element. */
  const scales: (number | null)[] = []
  let count = 0
  for (let at = 0; at < source.length; ) {
    if (source[at] !== '<') {
      // No text is rendered.
      const next = source.indexOf('<', at)
      at = next < 0 ? source.length : next
      continue
    }
    TAG.lastIndex = at
    const [tag, closing, name = '', inner = '', empty] = TAG.exec(source) ?? []
    if (tag === undefined) throw reject(`<${name}`)
    at += tag.length
    if (closing) {
      const scale = scales.pop()
      if (scale === undefined) throw reject('nesting')
      if (scale !== null) kept.push(tag)
      continue
    }
    if (++count > MAX_ELEMENTS || scales.length >= MAX_DEPTH) throw reject('too much')
    const isEditors = scales.at(-1) === null || (count > 1 && EDITOR_ELEMENT.test(name))
    const scale = isEditors ? null : screenElement(name, inner, count === 1 ? null : (scales.at(-1) ?? 1))
    if (scale !== null) kept.push(tag)
    if (!empty) scales.push(scale)
  }
  if (count === 0 || scales.length > 0) throw reject('unfinished')
  return kept.join('')
}

/** The maximum scale within an element. `outer`: that of its parent; null for the root. Throws if it is not plain. */
function screenElement(name: string, inner: string, outer: number | null): number {
  if (!elements.has(name)) throw reject(`<${name}`)
  if ((name === 'svg') !== (outer === null)) throw reject('a drawing in a drawing')
  const attributes = readAttributes(inner)
  const scale =
    (outer ?? rootScale(attributes)) *
    Math.max(1, ...Array.from(transforms, (one) => growth(attributes.get(one) ?? '')))
  if (outer !== null) checkNumbers(attributes, scale)
  return scale
}

const reject = (what: string) => new Error(`Not a plain drawing: ${what}`)

/** Attributes by name, with the declarations of `style` as separate attributes. */
function readAttributes(inner: string): Map<string, string> {
  const found = new Map<string, string>()
  const keep = (name: string, value: string) => {
    if (IGNORED.test(name)) return
    if (value.includes('&')) throw reject('an entity')
    if (OF_TEXT.test(name) || (costly.has(name) && value.trim() === 'none')) return
    const isKnown = [lengths, lists, paints, transforms, plain].some((set) => set.has(name))
    if (!isKnown || found.has(name)) throw reject(name)
    const references = value.replace(/^\s*url\(\s*['"]?#[\w.:-]+['"]?\s*\)/, '')
    if (/url\(|@|\\|\/\*/i.test(paints.has(name) ? references : value)) throw reject('a reference')
    found.set(name, value)
  }
  for (const [, name = '', double, single] of inner.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? ''
    if (name !== 'style') keep(name, value)
    else
      for (const declaration of value.split(';').filter((part) => part.trim() !== '')) {
        const colon = declaration.indexOf(':')
        const property = declaration.slice(0, colon).trim()
        if (/^-\w/.test(property)) continue
        // A style declaration overrides the presentation attribute.
        found.delete(property)
        keep(property, declaration.slice(colon + 1))
      }
  }
  return found
}

const numbersOf = (text: string) => Array.from(text.matchAll(NUMBER), ([number]) => Math.abs(Number(number)))

function rootScale(attributes: Map<string, string>): number {
  const [left = 0, top = 0, boxWidth, boxHeight] = numbersOf(attributes.get('viewBox') ?? '')
  const { side, ratio } = svgLimits
  const read = (name: string) =>
    attributes.get(name)?.includes('%') ? undefined : numbersOf(attributes.get(name) ?? '')[0]
  const width = read('width') ?? boxWidth ?? 100
  const height = read('height') ?? boxHeight ?? 100
  for (const size of [width, height, boxWidth ?? width, boxHeight ?? height])
    if (!(size >= 0.01 && size <= 1_000_000)) throw reject('its size')
  const reach = Math.max(boxWidth ?? 0, boxHeight ?? 0) * 100
  if (height > width * ratio * 2 || left > reach || top > reach) throw reject('its size')
  return Math.max(side / (boxWidth ?? width), (side * (height / width)) / (boxHeight ?? height))
}

/** Upper bound of the scale factor of a transform list. */
function growth(list: string): number {
  let total = 1
  TRANSFORM.lastIndex = 0
  for (let at = 0; at < list.trimEnd().length; at = TRANSFORM.lastIndex) {
    TRANSFORM.lastIndex = at
    const [, kind, inner = ''] = TRANSFORM.exec(list) ?? []
    if (kind === undefined) throw reject('a transform')
    const numbers = numbersOf(inner)
    const [a = 1, b = 0, c = 0, d = 1] = numbers
    if (numbers.some((number) => !(number <= 1_000_000))) throw reject('a transform')
    if (kind === 'matrix') total *= Math.max(1, a + c, b + d)
    else if (kind === 'scale') total *= Math.max(1, a, numbers[1] ?? a)
    else if (kind === 'rotate') total *= 1.42
    else if (kind !== 'translate') total *= 1 + Math.abs(Math.tan((a * Math.PI) / 180))
  }
  return total
}

function checkNumbers(attributes: Map<string, string>, scale: number): void {
  for (const [name, value] of attributes) {
    if (paints.has(name) || plain.has(name)) continue
    const numbers = numbersOf(value)
    const room = transforms.has(name) ? 1_000_000 : MAX_COORDINATE / scale
    if (numbers.some((number) => !(number <= room))) throw reject('a number')
    if (!lists.has(name)) continue
    if (numbers.reduce((sum, number) => sum + number, 0) * scale > MAX_PATH_SUM) throw reject('a path')
  }
}
