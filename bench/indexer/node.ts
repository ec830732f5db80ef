// Serves a recorded chain from memory over JSON-RPC.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hex, numberToHex } from 'viem'
import { getOrCreate } from '../../lib/collections/get-or-create.ts'
import type { RecordedBlock, Recording } from './recording.ts'

interface Request {
  id: number | string
  method: string
  params?: unknown[]
}

interface Filter {
  fromBlock?: string
  toBlock?: string
  blockHash?: string
  address?: string | string[]
  topics?: (string | string[] | null)[]
}

/** The fields of a log that filters match; logs with equal fields share one object. */
interface Origin {
  address: string
  topics: string[]
}

/** A block with serialized responses. */
interface ServedBlock {
  hash: string
  full: Buffer
  slim: Buffer
  /** Serialized logs in order, each followed by a comma; ends[i] is the end of log i, comma included. */
  logs: Buffer
  ends: Uint32Array
  /** The number of the origin of each log. */
  origins: Uint32Array
}

interface ServedChain {
  blocks: ServedBlock[]
  origins: Origin[]
}

export interface RecordedNode {
  url: string
  /** Requests since the last reset, by method. */
  requests: Map<string, number>
  close(): Promise<void>
}

/**
 * A node that is never the bottleneck: responses are assembled once, from a few large prebuilt buffers, because copies and
 * garbage collection would take a core from the measurement. anvil serializes some 25,000 logs a second, fewer than either
 * indexer can process.
 */
export async function serveRecording({ blocks, calls, filled }: Recording): Promise<RecordedNode> {
  const chain = prepareChain(blocks)
  const requests = new Map<string, number>()
  const known = new Map<string, Buffer>()
  const answer = (request: Request): Buffer[] => {
    requests.set(request.method, (requests.get(request.method) ?? 0) + 1)
    const id = JSON.stringify(request.id)
    try {
      const result = getOrCreate(known, JSON.stringify([request.method, request.params]), () =>
        answerMethod(chain, { calls, filled }, request.method, request.params ?? []),
      )
      return [Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), result, Buffer.from('}')]
    } catch (error) {
      const message = JSON.stringify((error as Error).message)
      return [Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":${message}}}`)]
    }
  }
  const server = createServer((incoming, response) => void reply(incoming, response, answer))
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => closeServer(server),
  }
}

async function reply(incoming: IncomingMessage, response: ServerResponse, answer: (request: Request) => Buffer[]) {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const asked = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Request | Request[]
  const parts = Array.isArray(asked) ? joinBatch(asked.map(answer)) : answer(asked)
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': size })
  for (const part of parts) response.write(part)
  response.end()
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

function prepareChain(recorded: readonly RecordedBlock[]): ServedChain {
  const origins: Origin[] = []
  const ids = new Map<string, number>()
  const words = new Map<string, string>()
  const intern = (word: string) => getOrCreate(words, word, () => word)
  const blocks = recorded.map(({ block, logs }) => {
    const parts = logs.map((log) => Buffer.from(`${JSON.stringify(log)},`))
    let end = 0
    return {
      hash: block.hash,
      full: Buffer.from(JSON.stringify(block)),
      slim: Buffer.from(JSON.stringify({ ...block, transactions: block.transactions.map(({ hash }) => hash) })),
      logs: Buffer.concat(parts),
      ends: Uint32Array.from(parts, ({ length }) => (end += length)),
      origins: Uint32Array.from(logs, ({ address, topics }) => {
        const key = [address, ...topics].join()
        const id =
          ids.get(key) ?? origins.push({ address: intern(address.toLowerCase()), topics: topics.map(intern) }) - 1
        ids.set(key, id)
        return id
      }),
    }
  })
  return { blocks, origins }
}

function answerMethod(
  chain: ServedChain,
  { calls, filled }: Pick<Recording, 'calls' | 'filled'>,
  method: string,
  params: unknown[],
): Buffer {
  const { blocks } = chain
  const json = (value: unknown) => Buffer.from(JSON.stringify(value))
  switch (method) {
    case 'eth_chainId':
      return json(numberToHex(filled.chainId))
    case 'net_version':
      return json(String(filled.chainId))
    case 'eth_blockNumber':
      return json(numberToHex(blocks.length - 1))
    case 'eth_getBlockByNumber':
      return writeBlock(blocks[parseHeight(blocks, params[0] as string)], params[1] === true)
    case 'eth_getBlockByHash':
      return writeBlock(
        blocks.find(({ hash }) => hash === params[0]),
        params[1] === true,
      )
    case 'eth_getLogs':
      return writeLogs(chain, params[0] as Filter)
    case 'eth_call': {
      const { to, data, input } = params[0] as { to: string; data?: Hex; input?: Hex }
      const result = calls[`${to.toLowerCase()} ${data ?? input}`]
      if (!result) throw new Error('execution reverted')
      return json(result)
    }
  }
  throw new Error(`Method ${method} was not recorded`)
}

function writeBlock(block: ServedBlock | undefined, full: boolean): Buffer {
  if (!block) return Buffer.from('null')
  return full ? block.full : block.slim
}

function writeLogs({ blocks, origins }: ServedChain, filter: Filter): Buffer {
  const from = parseHeight(blocks, filter.fromBlock ?? 'latest')
  const to = parseHeight(blocks, filter.toBlock ?? 'latest')
  const range = filter.blockHash ? blocks.filter(({ hash }) => hash === filter.blockHash) : blocks.slice(from, to + 1)
  const addresses = filter.address && new Set([filter.address].flat().map((address) => address.toLowerCase()))
  const topics = (filter.topics ?? []).map((wanted) => wanted && new Set([wanted].flat()))
  const judge = ({ address, topics: own }: Origin) =>
    (!addresses || addresses.has(address)) && topics.every((wanted, index) => !wanted || wanted.has(own[index] ?? ''))
  const judged: (boolean | undefined)[] = new Array(origins.length)
  const isWanted = (id: number) => (judged[id] ??= judge(origins[id]!))
  const runs = range.flatMap((block) => findRuns(block, isWanted))
  const size = runs.reduce((sum, { length }) => sum + length, 0)
  const written = Buffer.allocUnsafe(Math.max(size, 1) + 1)
  let at = written.write('[')
  for (const run of runs) at += run.copy(written, at)
  // Replaces the last comma, if there is one.
  written.write(']', Math.max(size, 1))
  return written
}

/** The bytes of the requested logs; consecutive logs are one slice. */
function findRuns({ logs, ends, origins }: ServedBlock, isWanted: (id: number) => boolean): Buffer[] {
  const runs: Buffer[] = []
  for (let index = 0; index < ends.length; index++) {
    const start = ends[index - 1] ?? 0
    while (index < ends.length && isWanted(origins[index]!)) index++
    const end = ends[index - 1] ?? 0
    if (end > start) runs.push(logs.subarray(start, end))
  }
  return runs
}

function joinBatch(answers: readonly Buffer[][]): Buffer[] {
  const parts = answers.flatMap((parts, index) => [Buffer.from(index === 0 ? '[' : ','), ...parts])
  return [...parts, Buffer.from(']')]
}

function parseHeight(blocks: readonly ServedBlock[], height: string): number {
  if (height === 'earliest') return 0
  return height.startsWith('0x') ? Number(height) : blocks.length - 1
}
