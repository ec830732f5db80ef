import { COMMENT_LENGTH, CommentCreation, REPORT_NOTE_LENGTH, ReportCreation } from '../../schemas/comments.ts'
import { BIO_LENGTH, ProfilePatch } from '../../schemas/profiles.ts'
import { metadata } from '../../schemas/token-metadata.ts'
import { ContractMetadata } from '../../schemas/uploads.ts'

interface Rule {
  minLength?: number
  maxLength?: number
  pattern?: string
  'x-expects'?: string
  /** A schema that also takes null. */
  anyOf?: readonly object[]
}

const { links } = metadata
const { name, symbol } = ContractMetadata.properties
/** The texts that people type, by their field, with the graphemes that handlers count. */
const fields: Record<string, [schema: Rule, maxGraphemes?: number]> = {
  name: [name],
  symbol: [symbol],
  description: [metadata.description],
  ...Object.fromEntries(Object.entries(links.properties).map(([field, schema]) => [field, [schema]])),
  username: [ProfilePatch.properties.username],
  bio: [ProfilePatch.properties.bio, BIO_LENGTH],
  text: [CommentCreation.properties.text, COMMENT_LENGTH],
  note: [ReportCreation.properties.note, REPORT_NOTE_LENGTH],
}

/** The rules of the service for texts, so that forms check what the service checks. */
export const writeTextRules = (): string =>
  [
    '// Generated from schemas by scripts/generate/sdk.ts. Do not edit: npm run generate:sdk\n',
    '/** What the service accepts for a text: lengths in code points, or in graphemes, and a pattern with the `u` flag. */',
    'export const textRules = {',
    ...Object.entries(fields).map(([field, [schema, maxGraphemes]]) => {
      const { minLength, maxLength, pattern, 'x-expects': expects }: Rule = schema.anyOf?.[0] ?? schema
      return `  ${field}: ${JSON.stringify({ minLength, maxLength, maxGraphemes, pattern, expects })},`
    }),
    '} as const\n',
  ].join('\n')
