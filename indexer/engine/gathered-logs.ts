import { type Log, readRecords } from '../../chain/logs/log.ts'
import type { PackedBlock, PackedLogs } from '../../chain/logs/log-reader.ts'
import { ChainMovedError } from './errors.ts'

/** Consecutive logs of one block in a response. */
export type ReadBlock = Pick<PackedBlock, 'number' | 'hash' | 'time'> & { logs: Log[] }

/** Logs by the height of their block. */
export type GatheredLogs = Map<number, ReadBlock>

export const unpackBlocks = ({ blocks, bytes }: PackedLogs): ReadBlock[] =>
  blocks.map(({ number, hash, time, count, start }) => ({ number, hash, time, logs: readRecords(bytes, start, count) }))

export function countLogs(blocks: Iterable<Pick<ReadBlock, 'logs'>>): number {
  let count = 0
  for (const { logs } of blocks) count += logs.length
  return count
}

/** Blocks each once, with their logs in order. */
export function joinBlocks(read: readonly ReadBlock[]): ReadBlock[] {
  const joined: GatheredLogs = new Map()
  gather(read, joined)
  for (const { logs } of joined.values()) sortLogs(logs)
  return [...joined.values()]
}

/** Adds the logs of these blocks. Throws ChainMovedError if one is of another branch than those before. */
export function gather(blocks: readonly ReadBlock[], gathered: GatheredLogs): void {
  for (const block of blocks) {
    if (block.logs.length === 0) continue
    const known = gathered.get(block.number)
    if (known === undefined) {
      gathered.set(block.number, block)
      continue
    }
    if (known.hash !== block.hash)
      throw new ChainMovedError(`Block ${block.number} was replaced while it was being fetched`)
    for (const log of block.logs) known.logs.push(log)
  }
}

/** Sorts by index in place. Nodes return logs in order, so a look suffices for nearly all blocks. */
export function sortLogs(logs: Log[]): Log[] {
  for (let at = 1; at < logs.length; at++) {
    if (logs[at]!.logIndex <= logs[at - 1]!.logIndex) return logs.sort((a, b) => a.logIndex - b.logIndex)
  }
  return logs
}
