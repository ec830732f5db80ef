import { AppError } from '../errors.ts'
import { cleanText } from '../lib/text/clean-text.ts'

/** Letters without a glyph: a text of these alone looks empty. */
const BLANK_LETTERS = /[\u115f\u1160\u2800\u3164\uffa0]/gu
const SOMETHING_TO_SEE = /[\p{L}\p{N}\p{P}\p{S}]/u
/** No script needs more than half as many marks on a letter; stacked marks cover the lines above. */
const STACKED_MARKS = /\p{M}{9}/u

/** A family emoji has seven code points. Without a limit, a grapheme can be arbitrarily long. */
const CODE_POINTS_PER_CHARACTER = 10

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Normalizes user text for storage: cleanText, then NFC. Throws INVALID_INPUT for what the schema cannot check: too many
 * graphemes, no visible character, lone surrogates, stacked marks.
 */
export function readText(value: string, field: string, maxLength: number): string {
  const refuse = (problem: string) => new AppError('INVALID_INPUT', { field, problem })
  if (!value.isWellFormed()) throw refuse('must be well-formed Unicode')
  const text = cleanText(value).normalize('NFC')
  if (!SOMETHING_TO_SEE.test(text.replace(BLANK_LETTERS, ''))) throw refuse('must contain visible text')
  if (STACKED_MARKS.test(text)) throw refuse('must not stack marks')
  if (!isWithin(text, maxLength)) throw refuse(`must have at most ${maxLength} characters`)
  return text
}

/** Does the same as readText, but returns null and undefined unchanged. */
export function readOptionalText<T extends null | undefined>(
  value: string | T,
  field: string,
  maxLength: number,
): string | T {
  return typeof value === 'string' ? readText(value, field, maxLength) : value
}

function isWithin(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return true
  if (text.length > 2 * CODE_POINTS_PER_CHARACTER * maxLength) return false
  let left = maxLength
  for (const _ of characters.segment(text)) if (--left < 0) return false
  return [...text].length <= CODE_POINTS_PER_CHARACTER * maxLength
}
