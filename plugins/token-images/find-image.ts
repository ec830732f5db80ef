import { type EncodedImage, encodeImage, imageLimits } from '../encode-image.ts'
import { FetchRefused } from '../guarded-fetch.ts'
import { readUri, type UriReader } from './read-uri.ts'

const DOCUMENT_BYTES = 256 * 1024
const SECONDS = 20

export interface ImageFinder extends UriReader {
  /** Draws an SVG as a picture of points. Rejects for one that is more than a simple drawing. */
  rasterize: (svg: Buffer) => Promise<Uint8Array>
}

/**
 * The picture that a contractURI names: in the document's field `image` (ERC-7572), or itself if it is a picture. Rejects if
 * there is none that we would have accepted as an upload.
 */
export async function findImage(finder: ImageFinder, metadataUri: string, closing: AbortSignal): Promise<EncodedImage> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(SECONDS * 1000)])
  const first = await readUri(finder, metadataUri, { maximum: imageLimits.bytes, signal })
  const image = readImageField(first)
  const bytes = image === undefined ? first : await readUri(finder, image, { maximum: imageLimits.bytes, signal })
  const isSvg = /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/i.test(bytes.toString('latin1', 0, 300))
  return encodeImage(isSvg ? Buffer.from(await finder.rasterize(bytes)) : bytes)
}

/** Undefined if the bytes are no document; what a document says of its image is a stranger's word and may be anything. */
function readImageField(bytes: Buffer): string | undefined {
  if (!/^\s*\{/.test(bytes.toString('utf8', 0, 100))) return undefined
  if (bytes.length > DOCUMENT_BYTES) throw new FetchRefused('The document is too large')
  const { image } = JSON.parse(bytes.toString('utf8')) as { image?: unknown }
  if (typeof image !== 'string' || image === '') throw new FetchRefused('The document names no image')
  return image
}
