import { dropLongUri } from '../../chain/bounds.ts'
import { cleanText } from '../../lib/text/clean-text.ts'

/**
 * The description and the image that an event carries, as a data: URI of a document of ERC-7572, as other launchpads name it by a
 * URI. Empty if it has neither. What does not fit into a URI is dropped: first the description. metadata: JSON of the launcher.
 */
export function toMetadataUri(metadata: string, image = ''): string {
  const description = readDescription(metadata)
  const documents = [
    { ...(description !== '' && { description }), ...(image !== '' && { image }) },
    { ...(image !== '' && { image }) },
  ]
  for (const document of documents) {
    if (Object.keys(document).length === 0) return ''
    const uri = dropLongUri(`data:application/json;base64,${Buffer.from(JSON.stringify(document)).toString('base64')}`)
    if (uri !== '') return uri
  }
  return ''
}

function readDescription(metadata: string): string {
  try {
    const fields = JSON.parse(metadata) as { description?: unknown } | null
    return typeof fields?.description === 'string' ? cleanText(fields.description) : ''
  } catch {
    return ''
  }
}
