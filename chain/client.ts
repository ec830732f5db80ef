import {
  type BlockTag,
  createPublicClient,
  type Hex,
  type HttpTransport,
  type HttpTransportConfig,
  http,
  numberToHex,
  type PublicClient,
  pad,
} from 'viem'
import { BlockLogs, type HeaderTrust } from './block-logs.ts'
import { createFailoverTransport, createNodeBreakers } from './failover.ts'
import { classifyCallError, feedCall, parseFeedResult, StateUnavailableError } from './feed-price.ts'
import { LogThread } from './log-thread.ts'
import type { RpcLog } from './logs.ts'
import { NodeBudget } from './node-budget.ts'
import { Nodes, type OnContradiction } from './nodes.ts'
import { joinLogs, type NodeLogs, PackedResponses } from './packed-responses.ts'
import { type Header, parseHeader, parseLogs, parseReceipt, type Receipt } from './parse-responses.ts'
import { requestLogs } from './request-logs.ts'
import { createRpcFetch } from './rpc-fetch.ts'
import { type BlockRange, RangeSplitter } from './split-range.ts'

export type { Header, Receipt }

export interface LogFilter {
  address?: readonly string[]
  /** Any of these as the first topic. */
  topics: readonly Hex[]
  /** This address, or shorter value, as the second topic. */
  token?: string
  range: BlockRange | { blockHash: string }
}

/** For logs that are asked for at once and in full, as the audit does. */
const LOGS_TIMEOUT_MS = 60_000

/** Decimals of a USD price, as Chainlink's feeds of USD pairs have them. */
export const USD_DECIMALS = 8

/** Stands around every request to a node, and must return or throw what it does. */
export type InstrumentRequest = <T>(method: string, ask: () => Promise<T>) => Promise<T>

interface ChainOptions {
  timeoutMs?: number
  retries?: number
  /** What one request of a client may wait for the nodes in all. */
  budgetMs?: number
  instrument?: InstrumentRequest
  /** Told when the thread that reads many logs broke, before it is started anew. */
  onWorkerCrash?: (error: Error) => void
  /** Called for each answer that cannot be right; the node is then asked last for a while. */
  onContradiction?: OnContradiction
  /** Whether receipts may prove logs; else two equal answers are always needed. Default true. */
  proofs?: boolean
  /** Called when recent blocks have shown what headers of this chain can be trusted for. */
  onTrust?: (trust: HeaderTrust) => void
}

/** A transport whose every request passes through `around`. */
function instrumentTransport(transport: HttpTransport, around: InstrumentRequest): HttpTransport {
  return (settings) => {
    const inner = transport(settings)
    const request = (args: { method: string }, options?: object) =>
      around(args.method, () => inner.request(args as never, options))
    return { ...inner, request: request as typeof inner.request }
  }
}

/**
 * The node, as the service needs it. Several URLs are tried in order; a request that fails on one goes on to the next.
 * Every method rejects when no node answers: see isNodeFailure.
 */
export class Chain {
  readonly client: PublicClient
  readonly #budgetMs: number
  /** For logs alone: their answers are large, and must not be held up with others, or be refused for their size. */
  readonly #logs: PublicClient
  readonly #packing: PublicClient
  readonly #packingInWorker: PublicClient
  readonly #packedResponses = new PackedResponses()
  readonly #splitter = new RangeSplitter()
  readonly #urls: readonly string[]
  readonly #nodes: Nodes
  readonly #blockLogs: BlockLogs

  constructor(urls: readonly string[], options: ChainOptions = {}) {
    const { timeoutMs = 10_000, retries = 2, instrument = (_method, ask) => ask(), onWorkerCrash = () => {} } = options
    this.#budgetMs = options.budgetMs ?? 10_000
    const settings = { timeout: timeoutMs, retryCount: 0 }
    const standings = createNodeBreakers(urls.length)
    const { proofs = true, onTrust = () => {}, onContradiction = () => {} } = options
    this.#urls = urls
    this.#nodes = new Nodes(standings, onContradiction)
    const connect = (options: HttpTransportConfig, only?: number) =>
      createPublicClient({
        transport: createFailoverTransport(
          pick(urls, only).map((url) => instrumentTransport(http(url, { ...settings, ...options }), instrument)),
          { retries, standings: pick(standings, only) },
        ),
        // A contract that asks for a lookup off the chain would have us fetch whatever URL it names.
        ccipRead: false,
        pollingInterval: 50,
      })
    this.client = connect({ batch: { batchSize: 100, wait: 0 }, fetchFn: createRpcFetch({ timeoutMs }) })
    this.#logs = connect({
      timeout: LOGS_TIMEOUT_MS,
      maxResponseBodySize: false,
      fetchFn: createRpcFetch({ timeoutMs: LOGS_TIMEOUT_MS, maxBytes: Number.POSITIVE_INFINITY }),
    })
    const fetchFn = createRpcFetch({ timeoutMs: LOGS_TIMEOUT_MS, maxBytes: Number.POSITIVE_INFINITY })
    const each = urls.map((_, node) =>
      connect({ maxResponseBodySize: false, batch: { batchSize: 8, wait: 0 }, fetchFn }, node),
    )
    const askNode = <T>(node: number, method: string, params: unknown[]) =>
      this.request<T>(method, params, each[node] as PublicClient)
    this.#blockLogs = new BlockLogs(this.#nodes, askNode, { proofs, onTrust })
    this.#packing = connect({
      maxResponseBodySize: false,
      fetchFn: this.#packedResponses.createFetch(requestLogs, timeoutMs),
    })
    const thread = new LogThread(onWorkerCrash)
    this.#packingInWorker = connect({
      maxResponseBodySize: false,
      fetchFn: this.#packedResponses.createFetch(thread.request, timeoutMs),
    })
  }

  async getChainId(): Promise<number> {
    return this.client.getChainId()
  }

  /** The time that a request of a client has for the nodes. */
  startBudget(): NodeBudget {
    return new NodeBudget(this.#budgetMs)
  }

  /** The header at a height or tag; null if the chain is not that high. */
  async getHeader(at: number | BlockTag): Promise<Header | null> {
    const isNumber = typeof at === 'number'
    const block = await this.request('eth_getBlockByNumber', [isNumber ? numberToHex(at) : at, false])
    return parseHeader(block, isNumber ? { number: at } : {})
  }

  async getHeaderByHash(hash: string): Promise<Header | null> {
    return parseHeader(await this.request('eth_getBlockByHash', [hash, false]), { hash })
  }

  /** Ranges of any length: see RangeSplitter. */
  async getLogs(filter: LogFilter): Promise<RpcLog[]> {
    const ask = (range: LogFilter['range']) =>
      this.request('eth_getLogs', [describeFilter({ ...filter, range })], this.#logs).then(parseLogs)
    const { range } = filter
    return 'blockHash' in range ? ask(range) : (await this.#splitter.collect(range, ask)).flat()
  }

  /**
   * The same as records. Of a range it is certain that the node which answered has its last block. aside: read by another
   * thread, which is worth its while where there are thousands.
   */
  async getPackedLogs(filter: LogFilter, { aside: inWorker = false } = {}): Promise<NodeLogs> {
    const client = inWorker ? this.#packingInWorker : this.#packing
    const ask = async (range: LogFilter['range']) => {
      const name = await this.request<string>('eth_getLogs', [describeFilter({ ...filter, range })], client)
      const answered = this.#packedResponses.take(name)
      const unrequested = answered.blocks.find(({ number, hash }) =>
        'blockHash' in range ? hash !== range.blockHash : number < range.from || number > range.to,
      )
      if (!unrequested) return answered
      throw this.reportContradiction(
        answered.url,
        `it answered logs of block ${unrequested.number}, which were not asked for`,
      )
    }
    const { range } = filter
    return 'blockHash' in range ? ask(range) : joinLogs(await this.#splitter.collect(range, ask))
  }

  /** All logs of a block with one of these first topics, in order, such that no single wrong answer is taken: see BlockLogs. */
  async readBlockLogs(header: Header, topics: ReadonlySet<string>): Promise<RpcLog[]> {
    return this.#blockLogs.read(header, topics)
  }

  /** Whether a header's logsBloom excludes logs with certainty on this chain. */
  async trustsBlooms(): Promise<boolean> {
    return (await this.#blockLogs.getTrust()).blooms === true
  }

  /** Counts an answer that cannot be right, and asks other nodes first from now on. The error to throw. */
  reportContradiction(url: string, reason: string): Error {
    return this.#nodes.reportContradiction(this.#urls.indexOf(url), reason)
  }

  /** null while the transaction is not mined, or if it is not known at all: see isKnown. */
  async getReceipt(txHash: string): Promise<Receipt | null> {
    return parseReceipt(await this.request('eth_getTransactionReceipt', [txHash]), txHash)
  }

  /** Whether the node knows the transaction, mined or waiting. */
  async hasTransaction(txHash: string): Promise<boolean> {
    return (await this.request('eth_getTransactionByHash', [txHash])) !== null
  }

  /**
   * The feed's answer in force at the end of a block, with USD_DECIMALS decimals, through Chainlink's
   * AggregatorV3Interface. null if the feed has none there. Rejects with StateUnavailableError if the node no longer keeps the
   * state of that block, and with the node's error for whatever else it says: that tells nothing about the price.
   */
  async getFeedAnswer(feed: string, blockNumber: number): Promise<bigint | null> {
    try {
      return parseFeedResult(await this.request<Hex>('eth_call', [feedCall(feed), numberToHex(blockNumber)]))
    } catch (error) {
      const refusal = classifyCallError(error)
      if (refusal === 'reverted') return null
      // Of a block that it has, a node says so for want of its state; else it lags.
      const isPruned =
        refusal === 'no-state' || (refusal === 'no-block' && (await this.getHeader(blockNumber)) !== null)
      if (isPruned) throw new StateUnavailableError(`No state of block ${blockNumber}`, { cause: error })
      throw error
    }
  }

  private request<T = unknown>(method: string, params: unknown[], client = this.client): Promise<T> {
    return client.request({ method, params } as never) as Promise<T>
  }
}

function describeFilter({ address, topics, token, range }: LogFilter): object {
  const where =
    'blockHash' in range
      ? { blockHash: range.blockHash }
      : { fromBlock: numberToHex(range.from), toBlock: numberToHex(range.to) }
  return { ...where, ...(address && { address }), topics: token ? [topics, pad(token as Hex)] : [topics] }
}

/** One of them, or all. */
const pick = <T>(all: readonly T[], only?: number): readonly T[] =>
  only === undefined ? all : all.slice(only, only + 1)
