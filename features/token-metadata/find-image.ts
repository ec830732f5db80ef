import { imageLimits } from '../../lib/images/image-limits.ts'
import type { EncodedImage } from '../images/index.ts'
import { readUri, type UriReader } from './read-uri.ts'

export interface ImageFinder extends UriReader {
  /** Encodes a picture, which may be an SVG. Rejects for one that is not taken. */
  encode: (bytes: Buffer, creator: string) => Promise<EncodedImage>
}

/** A picture that a token names on the chain, made one of ours. Rejects if we would not have accepted it as an upload. */
export async function findImage(
  finder: ImageFinder,
  { image, creator }: { image: Buffer | string; creator: string },
  signal: AbortSignal,
): Promise<EncodedImage> {
  const bytes =
    typeof image === 'string' ? await readUri(finder, image, { maxBytes: imageLimits.bytes, signal }) : image
  return finder.encode(bytes, creator)
}
