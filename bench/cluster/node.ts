// The node of the invented chain, in a process of its own: JSON-RPC over HTTP, and new heads over WebSocket.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hex, numberToHex } from 'viem'
import { type WebSocket, WebSocketServer } from 'ws'
import { ChainLogs, type LogFilter } from './chain-logs.ts'
import { ChainState, callFixed } from './chain-state.ts'
import { blockOfHash, CHAIN_ID, hashOfBlock, minedAt, type Shape, timeOfBlock } from './shape.ts'

/** Sent by the benchmark, one after the other. */
export type NodeTask =
  | { type: 'start'; shape: Shape }
  /** Mines a block a second, from this Unix millisecond on. */
  | { type: 'mine'; from: number }
  | { type: 'stop' }
  /** Generates the contracts' state at the head, which calls read from then on. */
  | { type: 'hold' }

export interface NodeReply {
  port: number
  head: number
}

interface Request {
  id: number | string
  method: string
  params?: unknown[]
}

interface RangeFilter extends LogFilter {
  fromBlock?: string
  toBlock?: string
  blockHash?: string
}

class Refusal extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const EMPTY_BLOOM = `0x${'0'.repeat(512)}`
const EMPTY_ROOT = `0x${'0'.repeat(64)}`

class Node {
  shape!: Shape
  head = 0
  state: ChainState | undefined
  readonly subscribers = new Set<WebSocket>()
  #logs!: ChainLogs
  #timer: NodeJS.Timeout | undefined

  start(shape: Shape): void {
    this.shape = shape
    this.head = shape.blocks
    this.#logs = new ChainLogs(shape)
  }

  mine(from: number): void {
    this.shape.minedFrom = from
    const mineNext = () => {
      this.head += 1
      this.state = undefined
      for (const socket of this.subscribers)
        socket.send(
          `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":${this.block(this.head)}}}`,
        )
      schedule()
    }
    const schedule = () => {
      this.#timer = setTimeout(mineNext, Math.max(0, minedAt(this.shape, this.head + 1) - Date.now()))
    }
    schedule()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  block(number: number): string {
    if (!(number >= 0 && number <= this.head)) return 'null'
    return JSON.stringify({
      ...{ number: numberToHex(number), hash: hashOfBlock(number), parentHash: hashOfBlock(number - 1) },
      ...{ timestamp: numberToHex(timeOfBlock(this.shape, number)), logsBloom: EMPTY_BLOOM, receiptsRoot: EMPTY_ROOT },
      transactions: [],
    })
  }

  /** The result as JSON. */
  answer({ method, params = [] }: Request): string | Buffer {
    switch (method) {
      case 'eth_chainId':
        return JSON.stringify(numberToHex(CHAIN_ID))
      case 'net_version':
        return JSON.stringify(String(CHAIN_ID))
      case 'eth_blockNumber':
        return JSON.stringify(numberToHex(this.head))
      case 'eth_subscribe':
        return '"0x1"'
      case 'eth_getBlockByNumber':
        return this.block(this.#heightOf(params[0]))
      case 'eth_getBlockByHash':
        return this.#hasBlock(String(params[0])) ? this.block(blockOfHash(String(params[0]))) : 'null'
      case 'eth_getLogs':
        return this.#findLogs(params[0] as RangeFilter)
      case 'eth_call':
        return JSON.stringify(this.#call(params[0] as { to: string; data?: Hex; input?: Hex }))
    }
    throw new Refusal(-32601, `the method ${method} does not exist`)
  }

  #heightOf(height: unknown): number {
    if (height === 'earliest') return 0
    return /^0x/.test(String(height)) ? Number(height) : this.head
  }

  #hasBlock = (hash: string) => hashOfBlock(blockOfHash(hash)) === hash

  #findLogs({ fromBlock, toBlock, blockHash, ...filter }: RangeFilter): Buffer {
    const ends = blockHash
      ? [blockOfHash(String(blockHash)), blockOfHash(String(blockHash))]
      : [this.#heightOf(fromBlock ?? 'latest'), this.#heightOf(toBlock ?? 'latest')]
    return this.#logs.find(ends[0]!, Math.min(ends[1]!, this.head), filter)
  }

  #call({ to, data, input }: { to: string; data?: Hex; input?: Hex }): Hex {
    const call = [to.toLowerCase(), (data ?? input) as Hex] as const
    const result = callFixed(...call, timeOfBlock(this.shape, this.head)) ?? this.state?.call(...call)
    if (result === undefined) throw new Refusal(3, 'execution reverted')
    return result
  }
}

const node = new Node()

function reply(request: Request): Buffer {
  const id = JSON.stringify(request.id)
  try {
    const result = node.answer(request)
    const start = Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`)
    return Buffer.concat([start, Buffer.from(result), Buffer.from('}')])
  } catch (error) {
    const { code, message } = error instanceof Refusal ? error : { code: -32603, message: String(error) }
    return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`)
  }
}

const joinReplies = (replies: Buffer[]): Buffer =>
  Buffer.concat([
    ...replies.flatMap((one, index) => [Buffer.from(index === 0 ? '[' : ','), one]),
    Buffer.from(replies.length === 0 ? '[]' : ']'),
  ])

async function read(incoming: IncomingMessage): Promise<Request | Request[]> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const server = createServer(async (incoming, response) => {
  const asked = await read(incoming)
  const body = Array.isArray(asked) ? joinReplies(asked.map(reply)) : reply(asked)
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
})
server.keepAliveTimeout = 60_000
new WebSocketServer({ server }).on('connection', (socket) => {
  socket.on('message', (data) => {
    const request = JSON.parse(String(data)) as Request
    socket.send(reply(request).toString())
    if (request.method === 'eth_subscribe') node.subscribers.add(socket)
  })
  socket.on('close', () => node.subscribers.delete(socket))
  socket.on('error', () => {})
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

process.on('message', (task: NodeTask) => {
  if (task.type === 'start') node.start(task.shape)
  else if (task.type === 'mine') node.mine(task.from)
  else if (task.type === 'stop') node.stop()
  else node.state = new ChainState(node.shape, node.head)
  process.send?.({ port: (server.address() as AddressInfo).port, head: node.head } satisfies NodeReply)
})
process.on('disconnect', () => process.exit())
process.on('SIGINT', () => {})
process.send?.({ ready: true })
