import type { Static } from '@sinclair/typebox'
import type { MetadataChange } from '../../db/queries/token-metadata.ts'
import { lengths, type TokenPatch } from '../../schemas/token-metadata.ts'
import { readOptionalText } from '../read-text.ts'

/** Column changes of a request body; omitted fields stay undefined. Throws INVALID_INPUT. */
export function readMetadataChange({
  description,
  imageUrl,
  bannerUrl,
  links,
}: Static<typeof TokenPatch>): MetadataChange {
  return {
    description: readOptionalText(description, 'body.description', lengths.description),
    image_url: imageUrl,
    banner_url: bannerUrl,
    website: links?.website,
    twitter: links?.twitter,
    telegram: links?.telegram,
    discord: links?.discord,
  }
}

export const isEmptyChange = (change: MetadataChange) => Object.values(change).every((value) => value === undefined)
