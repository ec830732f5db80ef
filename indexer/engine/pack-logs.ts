import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type Log, readInteger, readRecords, skipInteger, writeInteger } from '../../chain/logs.ts'

/*
 * The raw logs of a block, compressed into one value: a tenth of the size of a row for each log, and one write instead
 * of thousands. Layout before zstd, integers as unsigned LEB128:
 *
 * version (1) | count | count x a log's record
 */
const VERSION = 1

/** Compressed logs by their array; logs are immutable. */
const packedAhead = new WeakMap<readonly Log[], Buffer>()
const compress = promisify(zstdCompress)

/** Compresses the logs of blocks in a worker thread before they are stored. */
export async function precompressLogs(blocks: readonly { logs: readonly Log[] }[]): Promise<void> {
  for (const { logs } of blocks) {
    if (logs.length === 0) continue
    const bytes = encodeLogs(logs)
    // With the size the bytes equal those of packLogs.
    packedAhead.set(logs, await compress(bytes, { pledgedSrcSize: bytes.length }))
  }
}

export function packLogs(logs: readonly Log[]): Buffer {
  return packedAhead.get(logs) ?? zstdCompressSync(encodeLogs(logs))
}

function encodeLogs(logs: readonly Log[]): Buffer {
  const head = Buffer.from(writeInteger(VERSION) + writeInteger(logs.length), 'hex')
  const out = Buffer.allocUnsafe(logs.reduce((size, { start, end }) => size + end - start, head.length))
  let at = head.copy(out)
  for (const { bytes, start, end } of logs) at += bytes.copy(out, at, start, end)
  return out
}

export function unpackLogs(packed: Buffer): Log[] {
  const bytes = zstdDecompressSync(packed)
  const version = readInteger(bytes, 0)
  if (version !== VERSION) throw new RangeError(`Packed logs of version ${version}; this build reads ${VERSION}`)
  const countAt = skipInteger(bytes, 0)
  return readRecords(bytes, skipInteger(bytes, countAt), readInteger(bytes, countAt))
}
