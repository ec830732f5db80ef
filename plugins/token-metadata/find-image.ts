import { type EncodedImage, encodeImage, imageLimits } from '../encode-image.ts'
import { readUri, type UriReader } from './read-uri.ts'

export interface ImageFinder extends UriReader {
  /** Draws an SVG as a picture of points. Rejects for one that is more than a simple drawing. */
  rasterize: (svg: Buffer) => Promise<Uint8Array>
}

/** A picture that a token names on the chain, made one of ours. Rejects if we would not have accepted it as an upload. */
export async function findImage(
  finder: ImageFinder,
  image: Buffer | string,
  signal: AbortSignal,
): Promise<EncodedImage> {
  const bytes = typeof image === 'string' ? await readUri(finder, image, { maximum: imageLimits.bytes, signal }) : image
  const isSvg = /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/i.test(bytes.toString('latin1', 0, 300))
  return encodeImage(isSvg ? Buffer.from(await finder.rasterize(bytes)) : bytes)
}
