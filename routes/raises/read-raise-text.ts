import type { Static } from '@sinclair/typebox'
import type { RaiseText } from '../../db/queries/raises/raises.ts'
import type { RaisePatch } from '../../schemas/raises.ts'
import { lengths } from '../../schemas/token-metadata.ts'
import { readOptionalText } from '../read-text.ts'

/** Column changes of a request body; omitted fields stay undefined. Throws INVALID_INPUT. */
export const readRaiseText = ({ description, imageUrl, links }: Static<typeof RaisePatch>): RaiseText => ({
  description: readOptionalText(description, 'body.description', lengths.description),
  image_url: imageUrl,
  website: links?.website,
  twitter: links?.twitter,
  telegram: links?.telegram,
  discord: links?.discord,
})
