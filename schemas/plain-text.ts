import { Type } from '@sinclair/typebox'
import { legible } from './common.ts'

/**
 * User-written text of at most `maxLength` graphemes. JSON Schema cannot count graphemes, so handlers must pass every such
 * field through readText.
 */
export const PlainText = (maxLength: number, description: string, example: string) =>
  Type.String({
    minLength: 1,
    description:
      `${description} Plain text of at most ${maxLength} characters as a reader counts them (graphemes). Links ` +
      'stay text.',
    examples: [example],
    ...legible,
  })
