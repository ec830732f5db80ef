// A chain recorded from a node: all responses that an indexer may request.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import type { RpcLog } from '../../chain/logs/log.ts'
import type { FilledChain } from './fill.ts'
import { Node } from './node-client.ts'

/** A block with full transactions and logs, as served by the node. */
export interface RecordedBlock {
  block: { number: Hex; hash: Hex; transactions: { hash: Hex }[] }
  logs: RpcLog[]
}

export interface Recording {
  filled: FilledChain
  /** Results of eth_call, by "to data"; null for an error. They do not change on this chain. */
  calls: Record<string, Hex | null>
  /** Indexed by block number. */
  blocks: RecordedBlock[]
}

const PARALLEL = 4

const readers = parseAbi([
  'function weth() view returns (address)',
  'function aggregator() view returns (address)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
])

export async function record(url: string, filled: FilledChain): Promise<Recording> {
  const node = new Node(url)
  const { launchpad, priceFeed } = filled.deployment
  const calls: Recording['calls'] = {}
  for (const [to, functionName] of [
    [launchpad, 'weth'],
    [priceFeed, 'aggregator'],
    [priceFeed, 'latestRoundData'],
  ] as const) {
    const data = encodeFunctionData({ abi: readers, functionName })
    calls[`${to} ${data}`] = await node.call<Hex>('eth_call', [{ to, data }, 'latest']).catch(() => null)
  }
  const blocks: RecordedBlock[] = []
  let next = 0
  const recordBlocks = async () => {
    for (let number = next++; number <= filled.head; number = next++) {
      const height = numberToHex(number)
      const block = await node.call<RecordedBlock['block']>('eth_getBlockByNumber', [height, true])
      blocks[number] = { block, logs: await node.call('eth_getLogs', [{ fromBlock: height, toBlock: height }]) }
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, recordBlocks))
  return { filled, calls, blocks }
}

/** One line for the chain and one per block, because all of it exceeds the maximum string length. */
export function saveRecording(path: string, { filled, calls, blocks }: Recording): void {
  const lines = [{ filled, calls }, ...blocks].map((line) => Buffer.from(`${JSON.stringify(line)}\n`))
  // Atomic rename, so a file with this name is complete.
  writeFileSync(`${path}.part`, zstdCompressSync(Buffer.concat(lines)))
  renameSync(`${path}.part`, path)
}

export function loadRecording(path: string): Recording | undefined {
  let bytes: Buffer
  try {
    bytes = zstdDecompressSync(readFileSync(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const lines: unknown[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start)
    lines.push(JSON.parse(bytes.toString('utf8', start, end)))
    start = end + 1
  }
  const [whole, ...blocks] = lines
  return { ...(whole as Pick<Recording, 'filled' | 'calls'>), blocks: blocks as RecordedBlock[] }
}
