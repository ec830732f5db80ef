import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Log } from '../chain/logs.ts'

/*
 * The raw logs of a block in one compressed value: a tenth of the size of a row a log, and one write instead of
 * thousands where a chain is dense. Layout, before zstd, all integers unsigned LEB128:
 *
 *   version (1) | count | count x ( logIndex | txHash 32 | address 20 | topics n | n x 32 | data length | data )
 */
const VERSION = 1

/** What has been packed ahead of its turn, by the very array: logs are never changed in place. */
const packedAhead = new WeakMap<readonly Log[], Buffer>()
const compress = promisify(zstdCompress)

/**
 * Packs the logs of blocks that will be stored later: while PostgreSQL works this thread has time, and the compression is
 * done by another one.
 */
export async function packAhead(blocks: readonly { logs: readonly Log[] }[]): Promise<void> {
  for (const { logs } of blocks) {
    if (logs.length === 0) continue
    const bytes = layOut(logs)
    // Without its size the result would be as good, but not the same bytes as packLogs makes.
    packedAhead.set(logs, await compress(bytes, { pledgedSrcSize: bytes.length }))
  }
}

export function packLogs(logs: readonly Log[]): Buffer {
  return packedAhead.get(logs) ?? zstdCompressSync(layOut(logs))
}

/** Each log's hex is joined first, and read by one call: a call a field takes twice as long. */
function layOut(logs: readonly Log[]): Buffer {
  let size = 11
  for (const log of logs) size += 5 + 32 + 20 + 1 + log.topics.length * 32 + 5 + log.data.length / 2
  const out = Buffer.allocUnsafe(size)
  let at = out.write(writeInteger(VERSION) + writeInteger(logs.length), 'hex')
  for (const { logIndex, txHash, address, topics, data } of logs) {
    const bytes = (data.length - 2) / 2
    let hex = writeInteger(logIndex) + txHash.slice(2) + address.slice(2) + writeInteger(topics.length)
    for (const topic of topics) hex += topic.slice(2)
    hex += writeInteger(bytes) + data.slice(2)
    const isWhole = txHash.length === 66 && address.length === 42 && topics.every(({ length }) => length === 66)
    const written = out.write(hex, at, 'hex')
    if (!isWhole || written * 2 !== hex.length) throw new RangeError(`Not hex, or of a wrong length, in ${txHash}`)
    at += written
  }
  return out.subarray(0, at)
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Unsigned LEB128, in hex. */
function writeInteger(value: number): string {
  let hex = ''
  let rest = value
  while (rest > 127) {
    hex += BYTES[(rest % 128) | 128]
    rest = Math.floor(rest / 128)
  }
  return hex + BYTES[rest]
}

export function unpackLogs(packed: Buffer): Log[] {
  const bytes = zstdDecompressSync(packed)
  let at = 0
  const readInteger = () => {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++]
      if (byte === undefined) throw new RangeError('Packed logs end early')
      value += (byte & 127) * shift
      if (byte < 128) return value
    }
  }
  const readHex = (length: number) => {
    at += length
    return `0x${bytes.toString('hex', at - length, at)}`
  }
  const version = readInteger()
  if (version !== VERSION) throw new RangeError(`Packed logs of version ${version}; this build reads ${VERSION}`)
  return Array.from({ length: readInteger() }, () => ({
    logIndex: readInteger(),
    txHash: readHex(32),
    address: readHex(20),
    topics: Array.from({ length: readInteger() }, () => readHex(32)),
    data: readHex(readInteger()),
  }))
}
