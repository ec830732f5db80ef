import { imageLimits } from '../../lib/images/image-limits.ts'
import type { EncodedImage } from '../images/index.ts'
import { readUri, type UriReader } from './read-uri.ts'

export interface ImageFinder extends UriReader {
  /** Encodes an image, which may be an SVG. Rejects if it is not accepted. */
  encode: (bytes: Buffer, creator: string) => Promise<EncodedImage>
}

/** Reads and re-encodes the image that a token's metadata names. Rejects if it is unavailable or not accepted. */
export async function findImage(
  finder: ImageFinder,
  { image, creator }: { image: Buffer | string; creator: string },
  signal: AbortSignal,
): Promise<EncodedImage> {
  const bytes =
    typeof image === 'string' ? await readUri(finder, image, { maxBytes: imageLimits.bytes, signal }) : image
  return finder.encode(bytes, creator)
}
