// Serves an invented chain over JSON-RPC, and counts what it is asked for.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex, toHex } from 'viem'
import { tokenTopics } from '../../chain/token-events.ts'

export interface ChainShape {
  blocks: number
  /** Logs of other contracts, and of ours, in a block. */
  others: number
  ours: number
  /** Milliseconds before an answer. */
  latency: number
  /** The most logs in an answer. */
  limit: number
}

export interface Traffic {
  /** Calls of eth_getLogs. */
  requests: number
  bytesIn: number
  bytesOut: number
}

export interface CountingNode {
  url: string
  /** What was asked since the last call. */
  take(): Traffic
}

interface Call {
  id: number
  method: string
  params: [{ fromBlock: string; toBlock: string; address?: string[] }]
}

/** Contract number n of ours; those of others follow. */
export const addressOf = (n: number): string => toHex(2n ** 152n + BigInt(n), { size: 20 })

const hashOf = (number: number): string => toHex(2n ** 248n + BigInt(number), { size: 32 })
const WORD = `0x${'11'.repeat(32)}`
const EMPTY_BLOOM = `0x${'00'.repeat(256)}`

const blockOf = (number: number) => ({
  ...{ number: numberToHex(number), hash: hashOf(number), parentHash: hashOf(number - 1) },
  ...{ timestamp: numberToHex(1_700_000_000 + 2 * number), logsBloom: EMPTY_BLOOM, receiptsRoot: WORD },
})

function describeLog(address: string, block: number, index: number): string {
  return JSON.stringify({
    ...{ address, topics: [tokenTopics.transfer, WORD, WORD], data: WORD, blockNumber: numberToHex(block) },
    ...{ blockHash: hashOf(block), transactionHash: WORD, transactionIndex: '0x1', logIndex: numberToHex(index) },
    ...{ blockTimestamp: numberToHex(1_700_000_000 + 2 * block), removed: false },
  })
}

/** A node whose contracts of ours are the first `contracts` addresses, which emit in turn. */
export async function serveChain(shape: ChainShape, contracts: number): Promise<CountingNode> {
  const { blocks, others, ours, latency, limit } = shape
  let traffic: Traffic = { requests: 0, bytesIn: 0, bytesOut: 0 }
  /** Which of our contracts emits log `at` of a block. */
  const emitterOf = (block: number, at: number) => ((block * ours + at) * 7_919) % contracts
  const findLogs = ({ fromBlock, toBlock, address }: Call['params'][0]) => {
    const wanted = address && new Set(address)
    const found: string[] = []
    for (let block = Number(fromBlock); block <= Number(toBlock); block++) {
      for (let at = 0; at < ours; at++) {
        const emitter = addressOf(emitterOf(block, at))
        if (!wanted || wanted.has(emitter)) found.push(describeLog(emitter, block, at))
      }
      if (wanted) continue
      if (found.length + others > limit) return undefined
      for (let at = 0; at < others; at++) found.push(describeLog(addressOf(contracts + at), block, ours + at))
    }
    return found.length > limit ? undefined : found
  }
  const answerOf = ({ id, method, params }: Call): string => {
    const result = (value: string) => `{"jsonrpc":"2.0","id":${id},"result":${value}}`
    if (method === 'eth_blockNumber') return result(JSON.stringify(numberToHex(blocks)))
    if (method === 'eth_chainId') return result('"0x1"')
    if (method === 'eth_getBlockByNumber') return result(JSON.stringify(blockOf(Number(params[0]))))
    traffic.requests += 1
    const logs = findLogs(params[0])
    if (logs) return result(`[${logs.join()}]`)
    return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"query returned more than ${limit} results"}}`
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[]
    const answers = [asked].flat().map(answerOf)
    const body = Buffer.from(Array.isArray(asked) ? `[${answers.join()}]` : answers[0]!)
    traffic.bytesIn += chunks.reduce((sum, { length }) => sum + length, 0)
    traffic.bytesOut += body.length
    await sleep(latency)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = traffic
      traffic = { requests: 0, bytesIn: 0, bytesOut: 0 }
      return taken
    },
  }
}
