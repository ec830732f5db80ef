import { Type } from '@sinclair/typebox'
import { legible } from './common.ts'

/**
 * Text that people wrote for others to read, `maxLength` characters as readers count them (graphemes). No schema can count
 * those: every such field goes through readText.
 */
export const PlainText = (maxLength: number, description: string, example: string) =>
  Type.String({
    minLength: 1,
    description: `${description} Plain text of at most ${maxLength} characters as a reader counts them (graphemes); links stay text.`,
    examples: [example],
    ...legible,
  })
