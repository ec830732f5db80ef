import { hash } from 'node:crypto'
import sharp, { type Metadata, type Sharp } from 'sharp'
import { AppError } from '../errors.ts'
import { createGate } from './gate.ts'

export const imageLimits = { bytes: 5 * 1024 * 1024, side: 4096 } as const

const KINDS = 'a PNG, JPEG, WebP or GIF image'
const formats = new Set(['png', 'jpeg', 'webp', 'gif'])
const QUALITY = 84
const ENCODE_SECONDS = 15

// libvips reads a hundred formats, some through libraries with a long record of holes: here it knows four.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
})
// What is uploaded comes once; a cache of decoded pictures would only hold memory.
sharp.cache(false)

/** A decoded picture of the largest size takes 64 MB. */
const gate = createGate({ running: 2, waiting: 32 })

export interface EncodedImage {
  bytes: Buffer
  width: number
  height: number
  /** Of the bytes, in hexadecimal. */
  sha256: string
}

/** Whether bytes begin as one of the four formats does. Names and content types are the sender's word, and not looked at. */
function looksLikeImage(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, 12)
  const begins = (magic: string) => head.startsWith(magic)
  if (begins('RIFF')) return head.endsWith('WEBP')
  return begins('\x89PNG\r\n\x1a\n') || begins('\xff\xd8\xff') || begins('GIF87a') || begins('GIF89a')
}

/**
 * A picture that somebody sent as WebP of our own making: upright, in sRGB, without metadata, and of an animation the first
 * frame. Whatever else the file held (scripts, locations, a second file behind the first) is not in it.
 */
export function encodeImage(bytes: Buffer): Promise<EncodedImage> {
  return gate(async () => {
    if (!looksLikeImage(bytes)) throw new AppError('UNSUPPORTED_MEDIA_TYPE', { wants: KINDS })
    const image = sharp(bytes, { limitInputPixels: imageLimits.side ** 2, failOn: 'error', autoOrient: true })
    await checkHead(image)
    const { data, info } = await image
      .timeout({ seconds: ENCODE_SECONDS })
      .webp({ quality: QUALITY, smartSubsample: true })
      .toBuffer({ resolveWithObject: true })
      .catch(refuseBroken)
    return { bytes: data, width: info.width, height: info.height, sha256: hash('sha256', data, 'hex') }
  })
}

/** From the head alone, before a pixel is decoded: some kilobytes can unfold to gigabytes. */
async function checkHead(image: Sharp): Promise<void> {
  const { format, width, height }: Metadata = await image.metadata().catch(refuseBroken)
  if (!formats.has(format)) throw new AppError('UNSUPPORTED_MEDIA_TYPE', { wants: KINDS })
  if (Math.max(width, height) > imageLimits.side) throw new AppError('IMAGE_TOO_LARGE', { maximum: imageLimits.side })
}

function refuseBroken(cause: unknown): never {
  throw new AppError('INVALID_INPUT', { field: 'body.file', problem: 'is a broken image' }, { cause })
}

/** A small square PNG of an image of ours, for a picture that is drawn around it. */
export const makeThumbnail = (bytes: Buffer, side: number): Promise<Buffer> =>
  gate(() =>
    sharp(bytes, { limitInputPixels: imageLimits.side ** 2 })
      .resize(side, side)
      .png()
      .toBuffer(),
  )

/** One colour and nothing else: what is shown when nothing better can be drawn. */
export const makePlate = (width: number, height: number, background: string): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .png({ palette: true })
    .toBuffer()
