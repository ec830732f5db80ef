// Only runs in child processes: see lib/child-pool.
import sharp from 'sharp'
import type { ImageResult, Picture } from './image-job.ts'
import { imageLimits } from './image-limits.ts'

const formats = new Set(['png', 'jpeg', 'webp', 'gif'])
const QUALITY = 84
/** Pixels above which encoding trades bytes for CPU time: two seconds instead of seven for the largest image. */
const LARGE = 2_000_000

// libvips supports about a hundred formats, some through libraries with many vulnerabilities. Allow four.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
})
// Each upload is processed once, so libvips' cache would only use memory.
sharp.cache(false)
// Parallelism comes from several children.
sharp.concurrency(1)

const open = (bytes: Uint8Array) => sharp(bytes, { limitInputPixels: imageLimits.side ** 2, failOn: 'error' })

/** Encodes as WebP: EXIF orientation applied, sRGB, no metadata, first frame of an animation. */
export async function encodeImage(bytes: Uint8Array): Promise<ImageResult> {
  const image = open(bytes).autoOrient()
  try {
    // Check the dimensions in the header before decoding: a small file can decode to gigabytes.
    const { format, width, height } = await image.metadata()
    if (!formats.has(format)) return { problem: 'format' }
    if (Math.max(width, height) > imageLimits.side) return { problem: 'size' }
    const isLarge = width * height > LARGE
    const { data, info } = await image
      .webp({ quality: QUALITY, smartSubsample: !isLarge, effort: isLarge ? 2 : 4 })
      .toBuffer({ resolveWithObject: true })
    return { bytes: data, width: info.width, height: info.height }
  } catch {
    return { problem: 'broken' }
  }
}

/** A small square PNG to embed in a rendered image. */
export async function makeThumbnail(bytes: Uint8Array, side: number): Promise<Picture> {
  const data = await open(bytes).resize(side, side).png().toBuffer()
  return { bytes: data, width: side, height: side }
}
