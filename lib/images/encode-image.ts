// Runs in child processes only: see lib/child-pool.
import sharp from 'sharp'
import type { ImageResult, Picture } from './image-job.ts'
import { imageLimits } from './image-limits.ts'

const formats = new Set(['png', 'jpeg', 'webp', 'gif'])
const QUALITY = 84
/** Pixels from which encoding saves CPU time instead of bytes: a picture of the largest size takes two seconds, and not seven. */
const LARGE = 2_000_000

// libvips reads a hundred formats, some through libraries with a long record of holes: here it knows four.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
})
// What is uploaded comes once; a cache of decoded pictures would only hold memory.
sharp.cache(false)
// Pictures are worked on side by side, in a child each.
sharp.concurrency(1)

const open = (bytes: Uint8Array) => sharp(bytes, { limitInputPixels: imageLimits.side ** 2, failOn: 'error' })

/** A picture as WebP: upright, in sRGB, without metadata, and of an animation the first frame. */
export async function encodeImage(bytes: Uint8Array): Promise<ImageResult> {
  const image = open(bytes).autoOrient()
  try {
    // From the head alone, before a pixel is decoded: some kilobytes can unfold to gigabytes.
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

/** A small square PNG, for a picture that is drawn around it. */
export async function makeThumbnail(bytes: Uint8Array, side: number): Promise<Picture> {
  const data = await open(bytes).resize(side, side).png().toBuffer()
  return { bytes: data, width: side, height: side }
}
