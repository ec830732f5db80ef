import { crc32, deflateSync } from 'node:zlib'

/** A PNG of one colour (#rrggbb), as a last-resort fallback image. */
export function makeSolidPng(width: number, height: number, color: string): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // 1 bit per pixel, indexed colour.
  head.set([1, 3, 0, 0, 0], 8)
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    writeChunk('IHDR', head),
    writeChunk('PLTE', Buffer.from(color.slice(1), 'hex')),
    writeChunk('IDAT', deflateSync(rows)),
    writeChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A PNG chunk: length, name, content, CRC. */
export function writeChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(content.length, 0)
  ends.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
}
