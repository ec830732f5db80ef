import { labels } from '../field-labels.ts'
import { textRules } from '../text-rules.ts'

export type TextField = keyof typeof textRules

interface Rule {
  minLength?: number
  maxLength?: number
  maxGraphemes?: number
  pattern: string
  expects: string
}

/**
 * Why the service would not accept a text for this field, as a sentence: `The website link must be …`. null if it may. It has the rules
 * of the service for lengths and letters; the service checks again, and also what no rule can say, such as reserved usernames.
 */
export function findTextProblem(field: TextField, text: string): string | null {
  const { minLength = 0, maxLength, maxGraphemes, pattern, expects }: Rule = textRules[field]
  const most = maxGraphemes ?? maxLength ?? Number.POSITIVE_INFINITY
  const length = maxGraphemes === undefined ? [...text].length : countGraphemes(text)
  const problem =
    length < minLength
      ? 'is missing'
      : length > most
        ? `must have at most ${most} characters`
        : new RegExp(pattern, 'u').test(text)
          ? undefined
          : expects
  return problem === undefined ? null : `${labels[field]} ${problem}.`
}

/** The characters of a text as a reader counts them: a flag or a family is one. */
export const countGraphemes = (text: string): number => [...new Intl.Segmenter('en').segment(text)].length
