import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { writeChunk } from '../../../lib/images/make-solid-png.ts'
import { createRandom, type Random } from '../seeded-random.ts'
import { createDrawings } from './drawings.ts'

/** A file that attacks a decoder. Equal numbers give equal files. */
export interface HostileImage {
  name: string
  type: string
  bytes: Buffer
}

type Make = (random: Random) => Buffer | Promise<Buffer>

const flat = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 40, b: 60 } } })
const valid = {
  png: await flat(40, 30).png().toBuffer(),
  jpeg: await flat(200, 150).jpeg({ progressive: true }).toBuffer(),
  webp: await flat(40, 30).webp().toBuffer(),
  gif: await flat(40, 30).gif().toBuffer(),
}
const large = await flat(2_048, 2_048).jpeg({ progressive: true }).toBuffer()
const frames = [10, 90, 170].map((shade) => Buffer.alloc(20 * 20 * 3, shade))
const animated = await sharp(Buffer.concat(frames), { raw: { width: 20, height: 60, channels: 3, pageHeight: 20 } })
  .webp()
  .toBuffer()

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const word = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4)
  return bytes
}
/** A PNG of these chunks behind its header. Bits and colour as in the standard: 8 and 2 are RGB, 1 and 3 a palette. */
const png = (width: number, height: number, [bits, color]: [number, number], ...chunks: Buffer[]) =>
  Buffer.concat([
    PNG,
    writeChunk('IHDR', Buffer.concat([word(width, height), Buffer.from([bits, color, 0, 0, 0])])),
    ...chunks,
    writeChunk('IEND', Buffer.alloc(0)),
  ])
const deflated = new Map<number, Buffer>()
/** So many zeros, compressed a thousandfold. */
const zeros = (length: number) => {
  const bytes = deflated.get(length) ?? deflateSync(Buffer.alloc(length), { level: 9 })
  deflated.set(length, bytes)
  return bytes
}
const cut = (bytes: Buffer, random: Random) => bytes.subarray(0, 12 + random(bytes.length - 12))
const flip = (bytes: Buffer, random: Random) => {
  const copy = Buffer.from(bytes)
  for (let count = 1 + random(12); count > 0; count--) {
    const at = 8 + random(copy.length - 8)
    copy[at] = (copy[at] as number) ^ (1 << random(8))
  }
  return copy
}
/** Replaces the size in a JPEG's frame header. */
const resizeJpeg = (width: number, height: number) => {
  const copy = Buffer.from(valid.jpeg)
  const frame = copy.indexOf(Buffer.from([0xff, 0xc2]))
  copy.writeUInt16BE(height, frame + 5)
  copy.writeUInt16BE(width, frame + 7)
  return copy
}
/** A progressive JPEG that repeats its last scan; each is decoded over the whole image. */
const repeatScan = (times: number) => {
  const scan = large.subarray(large.lastIndexOf(Buffer.from([0xff, 0xda])), large.length - 2)
  return Buffer.concat([large.subarray(0, -2), ...Array.from({ length: times }, () => scan), Buffer.from([0xff, 0xd9])])
}
const gif = (width: number, height: number, count: number) => {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  const frame = Buffer.from('!\xf9\x04\0\x01\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0', 'latin1')
  return Buffer.concat([head, ...Array.from({ length: count }, () => frame), Buffer.from(';')])
}
const apng = (count: number) => {
  const control = (sequence: number) => Buffer.concat([word(sequence, 1, 1, 0, 0), Buffer.from([0, 1, 0, 1, 0, 0])])
  const row = zeros(4)
  const parts = Array.from({ length: count }, (_, at) =>
    Buffer.concat([
      writeChunk('fcTL', control(2 * at + 1)),
      writeChunk('fdAT', Buffer.concat([word(2 * at + 2), row])),
    ]),
  )
  return png(1, 1, [8, 2], writeChunk('acTL', word(count, 0)), writeChunk('IDAT', row), ...parts)
}

const families: [name: string, type: string, make: Make][] = [
  ['PNG of giant size', 'png', () => png(0x7fffffff, 0x7fffffff, [8, 6], writeChunk('IDAT', zeros(100)))],
  ['PNG beyond the sides', 'png', (random) => png(4097 + random(60_000), 1, [8, 2], writeChunk('IDAT', zeros(99)))],
  ['PNG that unfolds', 'png', () => png(4096, 4096, [8, 2], writeChunk('IDAT', zeros((4096 * 3 + 1) * 4096)))],
  ['PNG with far too many pixels in it', 'png', () => png(8, 8, [8, 2], writeChunk('IDAT', zeros(90_000_000)))],
  [
    'PNG with a bomb for a profile',
    'png',
    () =>
      png(
        8,
        8,
        [8, 2],
        writeChunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), zeros(90_000_000)])),
        writeChunk('IDAT', zeros(200)),
      ),
  ],
  [
    'PNG with a bomb for a text',
    'png',
    () =>
      png(
        8,
        8,
        [8, 2],
        writeChunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), zeros(90_000_000)])),
        writeChunk('IDAT', zeros(200)),
      ),
  ],
  [
    'PNG with a wrong checksum',
    'png',
    () => Buffer.concat([valid.png.subarray(0, 29), Buffer.alloc(4), valid.png.subarray(33)]),
  ],
  ['PNG without a palette', 'png', () => png(8, 8, [8, 3], writeChunk('IDAT', zeros(72)))],
  ['PNG that is cut', 'png', (random) => cut(valid.png, random)],
  ['PNG with flipped bits', 'png', (random) => flip(valid.png, random)],
  ['APNG of many frames', 'png', (random) => apng(2_000 + random(8_000))],
  ['GIF of 10,000 frames', 'gif', () => gif(1, 1, 10_000)],
  ['GIF with a giant screen', 'gif', () => gif(65_535, 65_535, 1)],
  ['GIF that is cut', 'gif', (random) => cut(valid.gif, random)],
  ['GIF with flipped bits', 'gif', (random) => flip(valid.gif, random)],
  ['JPEG of giant size', 'jpeg', () => resizeJpeg(65_500, 65_500)],
  ['JPEG with endless scans', 'jpeg', (random) => repeatScan(random(2) ? 60 : 600)],
  ['JPEG that is cut', 'jpeg', (random) => cut(valid.jpeg, random)],
  ['JPEG with flipped bits', 'jpeg', (random) => flip(valid.jpeg, random)],
  [
    'WebP with a giant canvas',
    'webp',
    () => {
      const copy = Buffer.from(animated)
      copy.fill(0xff, 24, 30)
      return copy
    },
  ],
  ['animated WebP with flipped bits', 'webp', (random) => flip(animated, random)],
  ['WebP that is cut', 'webp', (random) => cut(valid.webp, random)],
  ['WebP with flipped bits', 'webp', (random) => flip(valid.webp, random)],
  [
    'noise behind the right beginning',
    'png',
    (random) =>
      Buffer.concat([
        valid[(['png', 'jpeg', 'webp', 'gif'] as const)[random(4)] as 'png'].subarray(0, 24),
        Buffer.from(Array.from({ length: 5_000 }, () => random(256))),
      ]),
  ],
]

/** So many hostile files, of every family in turn. */
export async function createHostileImages(count: number): Promise<HostileImage[]> {
  const drawings = createDrawings().map(([name, make]): [string, string, Make] => [
    name,
    'svg+xml',
    (random) => Buffer.from(make(random)),
  ])
  const all = [...drawings, ...families]
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const [name, type, make] = all[index % all.length] as (typeof all)[number]
      return { name: `${name} (${index})`, type, bytes: await make(createRandom(index)) }
    }),
  )
}
