import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type Log, readInteger, readRecords, skipInteger, writeInteger } from '../../chain/logs.ts'

/*
 * The raw logs of a block in one compressed value: a tenth of the size of a row a log, and one write instead of
 * thousands where a chain is dense. Layout, before zstd, integers as unsigned LEB128:
 *
 *   version (1) | count | count x a log's record
 */
const VERSION = 1

/** What has been packed ahead of its turn, by the very array: logs are never changed in place. */
const packedAhead = new WeakMap<readonly Log[], Buffer>()
const compress = promisify(zstdCompress)

/** Packs the logs of blocks that will be stored later: the compression is done by another thread. */
export async function precompressLogs(blocks: readonly { logs: readonly Log[] }[]): Promise<void> {
  for (const { logs } of blocks) {
    if (logs.length === 0) continue
    const bytes = encodeLogs(logs)
    // Without its size the result would be as good, but not the same bytes as packLogs makes.
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
