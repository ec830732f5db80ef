import {
  type Address,
  type BlockTag,
  createPublicClient,
  fallback,
  type Hash,
  type Hex,
  type HttpTransport,
  type HttpTransportConfig,
  http,
  numberToHex,
  type PublicClient,
  pad,
} from 'viem'
import { priceFeedAbi } from './abi/price-feed.ts'
import { type AskForLogs, askForLogs } from './ask-for-logs.ts'
import { believeUsd } from './bounds.ts'
import type { PackedLogs } from './log-reader.ts'
import { LogThread } from './log-thread.ts'
import type { RpcLog } from './logs.ts'

export interface Header {
  number: number
  hash: string
  parentHash: string
  /** Unix seconds. */
  time: number
}

export interface Receipt {
  txHash: string
  blockNumber: number
  blockHash: string
  status: 'success' | 'reverted'
  logs: RpcLog[]
}

export interface LogFilter {
  address?: readonly string[]
  /** Any of these as the first topic. */
  topics: readonly Hex[]
  /** This address, or shorter value, as the second topic. */
  token?: string
  range: { from: number; to: number } | { blockHash: string }
}

interface RpcBlock {
  number: Hex
  hash: Hash
  parentHash: Hash
  timestamp: Hex
}

interface RpcReceipt {
  transactionHash: Hash
  blockNumber: Hex
  blockHash: Hash
  status: Hex
  logs: RpcLog[]
}

/** Decimals of a USD price, as Chainlink's feeds of USD pairs have them. */
export const USD_DECIMALS = 8

/** Stands around every request to a node, and must return or throw what it does. */
export type AroundRequest = <T>(method: string, ask: () => Promise<T>) => Promise<T>

interface ChainOptions {
  timeoutMs?: number
  retries?: number
  around?: AroundRequest
  /** Told when the thread that reads many logs broke, before it is started anew. */
  onThreadBreak?: (error: Error) => void
}

/** A transport whose every request passes through `around`. */
function watch(transport: HttpTransport, around: AroundRequest): HttpTransport {
  return (settings) => {
    const inner = transport(settings)
    const request = (args: { method: string }) => around(args.method, () => inner.request(args as never))
    return { ...inner, request: request as typeof inner.request }
  }
}

/**
 * The node, as the service needs it. Several URLs are tried in order; a request that fails on one goes on to the next.
 * Every method rejects when no node answers.
 */
export class Chain {
  readonly client: PublicClient
  /** For logs alone: their answers are large, and must not be held up with others, or be refused for their size. */
  readonly #logs: PublicClient
  readonly #packing: PublicClient
  readonly #packingAside: PublicClient
  /** What was read out of answers, by the name that the rest of the answer gives it. */
  readonly #packed = new Map<string, PackedLogs>()
  #lastPacked = 0

  constructor(urls: readonly string[], options: ChainOptions = {}) {
    const { timeoutMs = 10_000, retries = 2, around = (_method, ask) => ask(), onThreadBreak = () => {} } = options
    // What a request is worth retrying for is the transport's business: a node that is down or limits us, not a refusal.
    const settings = { timeout: timeoutMs, retryCount: retries, retryDelay: 100, fetchFn: fetchWithin(timeoutMs) }
    const connect = (options: HttpTransportConfig) =>
      createPublicClient({
        transport: fallback(
          urls.map((url) => watch(http(url, { ...settings, ...options }), around)),
          { retryCount: 0 },
        ),
        pollingInterval: 50,
      })
    this.client = connect({ batch: { batchSize: 100, wait: 0 } })
    this.#logs = connect({ maxResponseBodySize: false, fetchFn: fetch })
    this.#packing = connect({ maxResponseBodySize: false, fetchFn: this.#fetchBy(askForLogs, timeoutMs) })
    const thread = new LogThread(onThreadBreak)
    this.#packingAside = connect({ maxResponseBodySize: false, fetchFn: this.#fetchBy(thread.ask, timeoutMs) })
  }

  async getChainId(): Promise<number> {
    return this.client.getChainId()
  }

  /** The header at a height or tag; null if the chain is not that high. */
  async getHeader(at: number | BlockTag): Promise<Header | null> {
    const block = await this.request<RpcBlock | null>('eth_getBlockByNumber', [
      typeof at === 'number' ? numberToHex(at) : at,
      false,
    ])
    return block && parseHeader(block)
  }

  async getHeaderByHash(hash: string): Promise<Header | null> {
    const block = await this.request<RpcBlock | null>('eth_getBlockByHash', [hash, false])
    return block && parseHeader(block)
  }

  async getLogs(filter: LogFilter): Promise<RpcLog[]> {
    return this.request<RpcLog[]>('eth_getLogs', [describeFilter(filter)], this.#logs)
  }

  /** The same as records. aside: read by another thread, which is worth its while where there are thousands. */
  async getPackedLogs(filter: LogFilter, { aside = false } = {}): Promise<PackedLogs> {
    const client = aside ? this.#packingAside : this.#packing
    const name = await this.request<string>('eth_getLogs', [describeFilter(filter)], client)
    const packed = this.#packed.get(name)
    if (!packed) throw new Error('The node answers eth_getLogs with what is no list')
    this.#packed.delete(name)
    return packed
  }

  /**
   * A fetch for viem, which goes on to tell what failed and is worth another try. Of the logs in the answer it learns
   * only by what name they are found.
   */
  #fetchBy(ask: AskForLogs, stallMs: number): typeof fetch {
    return async (url, init) => {
      const { method = 'POST', headers, body, signal } = init ?? {}
      const asked = {
        url: String(url),
        method,
        headers: headers as Record<string, string>,
        body: String(body),
        stallMs,
      }
      const answered = await ask(asked, signal ?? null)
      return new Response(ReadableStream.from(this.#keepLogs(answered.body)), {
        status: answered.status,
        headers: answered.headers,
      })
    }
  }

  async *#keepLogs(body: Promise<PackedLogs | string>): AsyncGenerator<Uint8Array> {
    const found = await body
    if (typeof found === 'string') return yield Buffer.from(found)
    const name = `packed ${++this.#lastPacked}`
    this.#packed.set(name, found)
    yield Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 0, result: name }))
  }

  /** null while the transaction is not mined, or if it is not known at all: see isKnown. */
  async getReceipt(txHash: string): Promise<Receipt | null> {
    const receipt = await this.request<RpcReceipt | null>('eth_getTransactionReceipt', [txHash])
    return (
      receipt && {
        txHash: receipt.transactionHash,
        blockNumber: Number(receipt.blockNumber),
        blockHash: receipt.blockHash,
        status: Number(receipt.status) === 1 ? 'success' : 'reverted',
        logs: receipt.logs,
      }
    )
  }

  /** Whether the node knows the transaction, mined or waiting. */
  async isKnown(txHash: string): Promise<boolean> {
    return (await this.request<unknown>('eth_getTransactionByHash', [txHash])) !== null
  }

  /**
   * The feed's answer in force at the end of a block, with USD_DECIMALS decimals, through Chainlink's
   * AggregatorV3Interface. null if the feed has none there, or the node no longer keeps the state of that block.
   */
  async getFeedAnswer(feed: string, blockNumber: number): Promise<bigint | null> {
    try {
      const [, answer] = await this.client.readContract({
        address: feed as Address,
        abi: priceFeedAbi,
        functionName: 'latestRoundData',
        blockNumber: BigInt(blockNumber),
      })
      return believeUsd(answer)
    } catch (error) {
      if (isNodeUnreachable(error)) throw error
      return null
    }
  }

  private request<T>(method: string, params: unknown[], client = this.client): Promise<T> {
    return client.request({ method, params } as never) as Promise<T>
  }
}

/** viem's own limit ends when an answer begins: a node that stops amid one would hold the request up for minutes. */
function fetchWithin(timeoutMs: number): typeof fetch {
  return (url, init) => {
    const limit = AbortSignal.timeout(timeoutMs)
    return fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, limit]) : limit })
  }
}

function describeFilter({ address, topics, token, range }: LogFilter): object {
  const where =
    'blockHash' in range
      ? { blockHash: range.blockHash }
      : { fromBlock: numberToHex(range.from), toBlock: numberToHex(range.to) }
  return { ...where, ...(address && { address }), topics: token ? [topics, pad(token as Hex)] : [topics] }
}

function parseHeader(block: RpcBlock): Header {
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    time: Number(block.timestamp),
  }
}

/** Whether a failed request never got an answer, as opposed to an answer that says no. */
export function isNodeUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (['HttpRequestError', 'TimeoutError', 'WebSocketRequestError', 'SocketClosedError'].includes(cause.name))
      return true
  }
  return false
}
