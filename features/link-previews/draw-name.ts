import { type Element, text } from './elements.ts'
import { splitGraphemes } from './text.ts'

/** Room for the name beside the picture, in pixels. */
const NAME_WIDTH = 896
/** Width of two lines, which satori lets exceed it by some pixels. */
const LINE_WIDTH = 864
/** Font sizes of a name, in pixels. Below `leastOnOneLine` it takes two lines; below `least` it is truncated. */
const nameSizes = { most: 68, leastOnOneLine: 46, least: 34 }

/** The name on one line, or on two with an ellipsis at the end if they do not hold it. */
export function drawName(name: string): Element {
  const style = {
    fontWeight: 800,
    letterSpacing: '-0.02em',
    ...(isRightToLeft(name) && { direction: 'rtl', textAlign: 'left' }),
  }
  const fits = NAME_WIDTH / Math.max(1, widthOf(name))
  if (fits >= nameSizes.leastOnOneLine)
    return text({ ...style, lineHeight: 1.2, fontSize: Math.floor(Math.min(nameSizes.most, fits)) }, name)
  // Words rarely fill the first line: a sixth is lost.
  const fontSize = Math.floor(Math.max(nameSizes.least, Math.min(nameSizes.leastOnOneLine, (fits * 2 * 5) / 6)))
  const lines = { display: 'block', width: LINE_WIDTH, lineClamp: 2, wordBreak: 'break-word', lineHeight: 1.15 }
  return { type: 'div', props: { style: { ...style, ...lines, fontSize }, children: name } }
}

/** Whether the first letter with a direction is of a script that runs to the left. */
const isRightToLeft = (name: string) => /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufefc]/u.test(name)

/** Widths in ems of bold letters without diacritics. The first match counts. */
const widths: readonly [RegExp, number][] = [
  // The wide ones of Latin and Cyrillic; seen, sad and their likes in Arabic; the long vowels of Devanagari.
  [/[W@%ÆŒæœЖШЩЮФЫДМжшщюфмы]|[\u0633-\u0636\u069a-\u069e]|[\u0906\u0911-\u0914\u0950]/u, 1.1],
  [/[\u1100-\u1eff\u2000-\u{1ffff}Mmw—…ฌญฒณ]/u, 1.02],
  [/\p{Script=Devanagari}/u, 0.9],
  [/[ .,:;!'|ijlI]/u, 0.34],
  [/[\p{Lu}\p{N}+=<>&#$~]|[\u0250-\u{10ffff}]/u, 0.78],
]

/** Estimated width of a name in ems; rarely less than the width that it is drawn with. */
function widthOf(name: string): number {
  return splitGraphemes(name).reduce((sum, one) => {
    const bare = one.normalize('NFD').replace(/\p{M}/gu, '') || one
    // A cluster of Devanagari joins several letters; an emoji of several characters is one picture.
    const letters = bare.match(/[\u0590-\u0fff]/gu)?.length ?? 1
    return sum + letters * (widths.find(([kind]) => kind.test(bare))?.[1] ?? 0.66)
  }, 0)
}
