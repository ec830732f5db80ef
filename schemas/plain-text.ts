import { Type } from '@sinclair/typebox'

// C0 and C1 controls but tab and line breaks, and what turns the direction of the text that follows it (overrides,
// embeddings and isolates): with those, a link or an amount can be made to read as another.
const FORBIDDEN = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069'

/**
 * Text that people wrote for others to read, `maxLength` characters as readers count them (graphemes). No schema can count
 * those: every such field goes through readText.
 */
export const PlainText = (maxLength: number, description: string, example: string) =>
  Type.String({
    minLength: 1,
    pattern: `^[^${FORBIDDEN}]*$`,
    description: `${description} Plain text of at most ${maxLength} characters as a reader counts them (graphemes); links stay text.`,
    examples: [example],
    'x-expects': 'must not contain control characters or bidirectional overrides',
  })
