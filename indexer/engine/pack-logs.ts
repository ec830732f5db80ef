import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type Log, readInteger, readRecords, skipInteger, writeInteger } from '../../chain/logs/log.ts'

/*
 * The raw logs of a block, compressed into one value: a tenth of the size of a row for each log, and one write instead
 * of thousands. Layout before zstd, integers as unsigned LEB128:
 *
 * version (1) | count | count x a log's record
 */
const VERSION = 1

/** Compressed logs by their array; logs are immutable. */
const packedAhead = new WeakMap<readonly Log[], Buffer>()
/** Compressions that have started, by the same. */
const compressions = new WeakMap<readonly Log[], Promise<void>>()
const compress = promisify(zstdCompress)
/** The least that zlib accepts. */
const MIN_CHUNK = 64

type Blocks = readonly { logs: readonly Log[] }[]

/** Starts to compress the logs of blocks in a worker thread. packLogs waits for nothing: await `finishCompression` before it. */
export function precompressLogs(blocks: Blocks): void {
  const done = compressAll(blocks)
  done.catch(() => {})
  for (const { logs } of blocks) compressions.set(logs, done)
}

/** Resolves when the compressions of these blocks that have started are done. */
export async function finishCompression(blocks: Blocks): Promise<void> {
  await Promise.all(new Set(blocks.map(({ logs }) => compressions.get(logs))))
}

async function compressAll(blocks: Blocks): Promise<void> {
  // One buffer for all: the system has to clear the pages of a new one, which takes longer than the copy.
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, ...blocks.map(({ logs }) => packedSize(logs))))
  for (const { logs } of blocks) {
    if (logs.length === 0) continue
    const bytes = encodeLogs(logs, buffer)
    const options = {
      // The size makes the bytes equal those of packLogs.
      pledgedSrcSize: bytes.length,
      // One chunk: Node returns to the event loop after each.
      chunkSize: Math.max(MIN_CHUNK, bytes.length),
    }
    packedAhead.set(logs, await compress(bytes, options))
  }
}

export function packLogs(logs: readonly Log[]): Buffer {
  return packedAhead.get(logs) ?? zstdCompressSync(encodeLogs(logs, Buffer.allocUnsafe(packedSize(logs))))
}

const MAX_INTEGER_BYTES = 8

/** An upper bound of the length of encodeLogs. */
const packedSize = (logs: readonly Log[]) =>
  logs.reduce((size, { start, end }) => size + end - start, 1 + MAX_INTEGER_BYTES)

/** Writes the layout above into a buffer. Returns the part that it fills. */
function encodeLogs(logs: readonly Log[], out: Buffer): Buffer {
  let at = out.write(writeInteger(VERSION) + writeInteger(logs.length), 'hex')
  // Logs in the order of a response are adjacent, and copied together.
  for (let first = 0; first < logs.length; ) {
    const { bytes, start } = logs[first]!
    let { end } = logs[first]!
    for (first++; logs[first]?.bytes === bytes && logs[first]!.start === end; first++) end = logs[first]!.end
    at += bytes.copy(out, at, start, end)
  }
  return out.subarray(0, at)
}

export function unpackLogs(packed: Buffer): Log[] {
  const bytes = zstdDecompressSync(packed)
  const version = readInteger(bytes, 0)
  if (version !== VERSION) throw new RangeError(`Packed logs of version ${version}; this build reads ${VERSION}`)
  const countAt = skipInteger(bytes, 0)
  return readRecords(bytes, skipInteger(bytes, countAt), readInteger(bytes, countAt))
}
