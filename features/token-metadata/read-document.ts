import { Value } from '@sinclair/typebox/value'
import { FetchRejectedError } from '../../lib/http/guarded-fetch.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { TokenPatch } from '../../schemas/token-metadata.ts'

const DOCUMENT_BYTES = 256 * 1024
const DESCRIPTION_LENGTH = 1000

/** What a contractURI says of its token. Null is what it does not say, or not in a way that a creator could say it here. */
export interface ParsedMetadata {
  description: string | null
  website: string | null
  /** The picture, or the URI that it is at. */
  image: Buffer | string | null
}

/**
 * Reads what a contractURI leads to: a document (ERC-7572), or the picture itself. All of it is a stranger's word and may
 * be anything. Rejects if it begins like a document and is none.
 */
export function readDocument(bytes: Buffer): ParsedMetadata {
  if (!/^\s*\{/.test(bytes.toString('utf8', 0, 100))) return { description: null, website: null, image: bytes }
  if (bytes.length > DOCUMENT_BYTES) throw new FetchRejectedError('The document is too large')
  const fields = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  const description = clean(fields.description)
  const { external_link: website, image } = fields
  return {
    description: description !== null && isAllowed({ description }) ? description : null,
    website: typeof website === 'string' && isAllowed({ links: { website } }) ? website : null,
    image: typeof image === 'string' && image !== '' ? image : null,
  }
}

/** By the rules for what creators write here, so that there is one notion of what may be shown. */
const isAllowed = (change: object): boolean => Value.Check(TokenPatch, change)

/** A description as one that was typed here: without control characters and what turns the direction of text, and not too long. */
function clean(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const plain = cleanText(text)
  if (plain.length <= DESCRIPTION_LENGTH) return plain
  // Not between the two halves of a character.
  return `${plain.slice(0, DESCRIPTION_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
