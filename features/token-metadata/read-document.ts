import { Value } from '@sinclair/typebox/value'
import { FetchRejectedError } from '../../lib/http/guarded-fetch.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { TokenPatch } from '../../schemas/token-metadata.ts'

const DOCUMENT_BYTES = 256 * 1024
const DESCRIPTION_LENGTH = 1000

/** Metadata of a contractURI. null: absent, or not valid as a creator's input. */
export interface ParsedMetadata {
  description: string | null
  website: string | null
  twitter: string | null
  telegram: string | null
  discord: string | null
  /** The image, or its URI. */
  image: Buffer | string | null
}

/**
 * Parses untrusted content of a contractURI: a JSON document (ERC-7572, or with `website` and links to communities), or the image itself. Throws
 * FetchRejectedError or SyntaxError if a document is too large or malformed.
 */
export function readDocument(bytes: Buffer): ParsedMetadata {
  // The byte order mark counts as white space in the expression, but not in JSON.
  if (!/^\s*\{/.test(bytes.toString('utf8', 0, 100))) return { ...NOTHING, image: bytes }
  if (bytes.length > DOCUMENT_BYTES) throw new FetchRejectedError('The document is too large')
  const fields = JSON.parse(bytes.toString('utf8').replace(/^[\s\ufeff]+/, '')) as Record<string, unknown>
  const description = clean(fields.description)
  const { image } = fields
  const readLink = (name: LinkName, link = fields[name]) =>
    typeof link === 'string' && isAllowed({ links: { [name]: link } }) ? link : null
  return {
    description: description !== null && isAllowed({ description }) ? description : null,
    website: readLink('website', fields.external_link ?? fields.website),
    twitter: readLink('twitter'),
    telegram: readLink('telegram'),
    discord: readLink('discord'),
    image: typeof image === 'string' && image !== '' ? image : null,
  }
}

type LinkName = 'website' | 'twitter' | 'telegram' | 'discord'

const NOTHING = { description: null, website: null, twitter: null, telegram: null, discord: null }

/** Applies the schema of creators' input, so that both sources have the same rules. */
const isAllowed = (change: object): boolean => Value.Check(TokenPatch, change)

/** Removes control characters and direction overrides, and truncates; null unless `text` is a string. */
function clean(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const plain = cleanText(text)
  if (plain.length <= DESCRIPTION_LENGTH) return plain
  // Do not split a surrogate pair.
  return `${plain.slice(0, DESCRIPTION_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
