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
import { classifyCallError, feedCall, parseFeedResult, StateUnavailableError } from '../feed/read-price.ts'
import { BlockLogs, type HeaderTrust, type ReadLogs } from '../logs/block-logs.ts'
import type { ContractRead } from '../logs/contract-read.ts'
import type { RpcLog } from '../logs/log.ts'
import { LogThread } from '../logs/log-thread.ts'
import { type RequestLogs, requestLogs } from '../logs/request-logs.ts'
import { BatchSupport } from './batch-support.ts'
import { ContractAnswers, type ReadBlock } from './contract-answers.ts'
import { createFailoverTransport } from './failover.ts'
import { lowerHex } from './lower-hex.ts'
import { NodeBudget } from './node-budget.ts'
import { type ChainIdentity, type IdentityCall, type IdentityEvents, NodeIdentities } from './node-identity.ts'
import { type NodeEvents, Nodes } from './nodes.ts'
import { joinParts, joinRanges, NO_LOGS, type NodeLogs, PackedResponses } from './packed-responses.ts'
import { type Header, parseHeader, parseLogs, parseReceipt, type Receipt, type RpcCall } from './parse-responses.ts'
import { createRpcFetch } from './rpc-fetch.ts'
import { findNeighbours, type Neighbours, nullIfSkipped } from './skipped-heights.ts'
import { isListRejection, ListRejectedError, ListSplitter } from './split-list.ts'
import { type BlockRange, isLagging, RangeSplitter } from './split-range.ts'

export type { Header, Receipt }

export interface LogFilter {
  address?: readonly string[]
  /** topic0 is any of these. */
  topics: readonly Hex[]
  /** Other topics, left-padded to 32 bytes; topic1 may be any of a list. */
  topic1?: string | readonly string[] | undefined
  topic2?: string | undefined
  range: BlockRange
}

/** Timeout of large eth_getLogs requests, such as those of the audit. */
const LOGS_TIMEOUT_MS = 60_000

/** Decimals of a USD price, as in Chainlink's USD feeds. */
export const USD_DECIMALS = 8

/** Wraps every request to a node. Must return its result or rethrow its error. */
export type InstrumentRequest = <T>(method: string, ask: () => Promise<T>) => Promise<T>

interface ChainOptions extends NodeEvents, IdentityEvents {
  timeoutMs?: number
  retries?: number
  /** Total time that one client request may wait for nodes. */
  budgetMs?: number
  instrument?: InstrumentRequest
  /** Called when the log worker thread crashed. The next request starts another. */
  onWorkerCrash?: (error: Error) => void
  /** What the nodes must have in common. A node that differs is not used. Default: nodes are not checked. */
  identity?: ChainIdentity
  /** Whether receipts may prove logs; if false, two equal responses are always needed. Default true. */
  proofs?: boolean
  /** How long contracts may not be readable before the indexer goes on without what they say. Default 60,000 ms. */
  readPatienceMs?: number
  /** Called when recent blocks have shown which header fields are reliable. */
  onTrust?: (trust: HeaderTrust) => void
}

function instrumentTransport(transport: HttpTransport, around: InstrumentRequest): HttpTransport {
  return (settings) => {
    const inner = transport(settings)
    const request = (args: { method: string }, options?: object) =>
      around(args.method, () => inner.request(args as never, options))
    return { ...inner, request: request as typeof inner.request }
  }
}

/** JSON-RPC client over one or more node URLs, tried in order. Methods reject if every node fails: see isNodeFailure. */
export class Chain {
  readonly client: PublicClient
  readonly #budgetMs: number
  /** For eth_getLogs: large responses must not delay a shared batch, or exceed its size limit. */
  readonly #logs: PublicClient
  readonly #packing: PublicClient
  readonly #logThread: LogThread
  readonly #packingInWorker: PublicClient
  readonly #packedResponses: PackedResponses
  readonly #splitter = new RangeSplitter()
  readonly #listSplitter = new ListSplitter()
  readonly #urls: readonly string[]
  /** The nodes of the URLs, in their order. */
  readonly nodes: Nodes
  readonly #blockLogs: BlockLogs
  readonly #answers: ContractAnswers
  #hasSkipped = false

  constructor(urls: readonly string[], options: ChainOptions = {}) {
    const { timeoutMs = 10_000, retries = 2, instrument = (_method, ask) => ask(), onWorkerCrash = () => {} } = options
    this.#budgetMs = options.budgetMs ?? 10_000
    const settings = { timeout: timeoutMs, retryCount: 0 }
    const { proofs = true, onTrust = () => {}, identity } = options
    this.#urls = urls
    this.nodes = new Nodes(urls.length, options)
    const all = [...urls.keys()]
    const open = (node: number, options: HttpTransportConfig) =>
      instrumentTransport(http(urls[node]!, { ...settings, ...options }), instrument)
    const connect = (
      options: HttpTransportConfig,
      indexes = all,
      validate?: (call: RpcCall, answer: unknown) => void,
    ) =>
      createPublicClient({
        transport: createFailoverTransport(
          indexes.map((node) => open(node, options)),
          { retries, nodes: this.nodes, indexes, ...(validate && { validate }) },
        ),
        // CCIP-Read would let a contract make this process fetch any URL.
        ccipRead: false,
        pollingInterval: 50,
      })
    const batches = new BatchSupport()
    const small = { batch: { batchSize: 100, wait: 0 }, fetchFn: createRpcFetch({ timeoutMs, batches }) }
    this.client = connect(small)
    if (identity) {
      const connections = all.map((node) => open(node, small)({ retryCount: 0 }))
      const ask = (node: number, call: IdentityCall) => connections[node]!.request(call as never)
      this.nodes.identities = new NodeIdentities(urls.length, identity, ask, options)
    }
    const fetchFn = createRpcFetch({ timeoutMs: LOGS_TIMEOUT_MS, maxBytes: Number.POSITIVE_INFINITY, batches })
    this.#logs = connect({ timeout: LOGS_TIMEOUT_MS, maxResponseBodySize: false, fetchFn })
    const each = all.map((node) =>
      connect({ maxResponseBodySize: false, batch: { batchSize: 8, wait: 0 }, fetchFn }, [node]),
    )
    const askNode = <T>(node: number, method: string, params: unknown[]) =>
      this.request<T>(method, params, each[node] as PublicClient)
    this.#blockLogs = new BlockLogs(this.nodes, askNode, { proofs, onTrust })
    const calls = all.map((node) => connect(small, [node]))
    this.#answers = new ContractAnswers(
      this.nodes,
      (node, method, params) => this.request(method, params, calls[node] as PublicClient),
      { patienceMs: options.readPatienceMs },
    )
    this.#packedResponses = new PackedResponses(batches)
    // The logs are validated when they are read; the client receives their key.
    const pack = (ask: RequestLogs) => {
      const fetchFn = this.#packedResponses.createFetch(ask, timeoutMs)
      return connect({ maxResponseBodySize: false, fetchFn }, all, () => {})
    }
    this.#packing = pack(requestLogs)
    this.#logThread = new LogThread(onWorkerCrash)
    this.#packingInWorker = pack(this.#logThread.request)
  }

  async getChainId(): Promise<number> {
    return this.client.getChainId()
  }

  /** A budget for the node requests of one client request. */
  startBudget(): NodeBudget {
    return new NodeBudget(this.#budgetMs)
  }

  /** The header at a height or tag; null if the node has no such block: it lags, or the chain has skipped the height. */
  async getHeader(at: number | BlockTag): Promise<Header | null> {
    const isNumber = typeof at === 'number'
    const params = [isNumber ? numberToHex(at) : at, false]
    const block = await this.request('eth_getBlockByNumber', params).catch(nullIfSkipped)
    return parseHeader(block, isNumber ? { number: at } : {})
  }

  async getHeaderByHash(hash: string): Promise<Header | null> {
    return parseHeader(await this.request('eth_getBlockByHash', [hash, false]), { hash })
  }

  /** Whether a height without a block was seen: see Neighbours. */
  get hasSkipped(): boolean {
    return this.#hasSkipped
  }

  /** The block at a height, or those around it if the chain has skipped it. Null if the nodes show neither. */
  async findNeighbours(height: number): Promise<Neighbours | null> {
    const found = await findNeighbours(this, height)
    this.#hasSkipped ||= found !== null && found.below !== found.above
    return found
  }

  /** A range, and a list of addresses or of topics, may have any length: see RangeSplitter and ListSplitter. */
  async getLogs(filter: LogFilter): Promise<RpcLog[]> {
    const answers = await this.#collect(filter, (part) =>
      this.request('eth_getLogs', [describeFilter(part)], this.#logs).then(parseLogs),
    )
    return answers.flat(2)
  }

  /** Starts the worker thread of getPackedLogs, which will be needed soon. */
  prepareWorker(): void {
    this.#logThread.prepare()
  }

  /**
   * The same logs as records, from nodes that are known to have the last block of the range. `inWorker`: parse in a worker thread,
   * which pays off for thousands of logs. While it runs, it parses all.
   */
  async getPackedLogs(filter: LogFilter, { inWorker = false } = {}): Promise<NodeLogs> {
    const client = inWorker || this.#logThread.isRunning ? this.#packingInWorker : this.#packing
    const ask = async (part: LogFilter): Promise<NodeLogs> => {
      const name = await this.request<string>('eth_getLogs', [describeFilter(part)], client)
      const answered = this.#packedResponses.take(name)
      const { from, to } = part.range
      const unrequested = answered.blocks.find(({ number }) => number < from || number > to)
      if (!unrequested) return answered
      throw this.reportContradiction(
        answered.url,
        `it answered logs of block ${unrequested.number}, which were not asked for`,
      )
    }
    const answers = await this.#collect(filter, (part) => this.#endAtBlock(part, ask))
    return joinParts(answers.map(joinRanges))
  }

  /** Ends the range at a block: only that shows that a node has the whole range. */
  async #endAtBlock(part: LogFilter, ask: (part: LogFilter) => Promise<NodeLogs>): Promise<NodeLogs> {
    const { from, to } = part.range
    const askShorter = async (error?: unknown): Promise<NodeLogs> => {
      const end = (await this.findNeighbours(to))?.below.number ?? to
      if (end === to && error) throw error
      return end < from ? { ...NO_LOGS, url: '', ends: [] } : ask({ ...part, range: { from, to: end } })
    }
    if (this.#hasSkipped) return askShorter()
    return ask(part).catch((error: unknown) => {
      if (isLagging(error)) return askShorter(error)
      throw error
    })
  }

  /** The answers for the ranges, lowest first, of each part of its list of topics, or of addresses. An empty list matches nothing. */
  async #collect<T>(filter: LogFilter, ask: (part: LogFilter) => Promise<T>): Promise<T[][]> {
    const askAll = (part: LogFilter) =>
      this.#splitter.collect(part.range, (range) =>
        ask({ ...part, range }).catch((error: unknown) => {
          throw isListRejection(error)
            ? new ListRejectedError('The node rejects the addresses', { cause: error })
            : error
        }),
      )
    const { address, topic1 } = filter
    if (topic1 !== undefined && typeof topic1 !== 'string')
      return this.#listSplitter.collect(topic1, (some) => askAll({ ...filter, topic1: some }))
    if (address === undefined) return [await askAll(filter)]
    return this.#listSplitter.collect(address, (some) => askAll({ ...filter, address: some }))
  }

  /** The logs of a block whose topic0 is in `topics`, by log index, verified as described at BlockLogs. */
  async readBlockLogs(header: Header, topics: ReadonlySet<string>): Promise<ReadLogs> {
    return this.#blockLogs.read(header, topics)
  }

  /** What a contract answers at the block of a log: see ContractAnswers. */
  async readAtLog(read: ContractRead, block: ReadBlock, options?: { mayGiveUp?: boolean }): Promise<Hex | null> {
    return this.#answers.read(read, block, options)
  }

  /** Whether some node may prove logs by receipts. */
  async canProveLogs(): Promise<boolean> {
    return this.#blockLogs.canProve()
  }

  /** Whether an item that is missing in a header's logsBloom proves that the block has no such log. */
  async trustsBlooms(): Promise<boolean> {
    return (await this.#blockLogs.getTrust()).blooms === true
  }

  /** Counts a contradictory response and demotes the node. Returns the error to throw. */
  reportContradiction(url: string, reason: string): Error {
    return this.nodes.reportContradiction(this.#urls.indexOf(url), reason)
  }

  /** null while the transaction is pending or unknown: see hasTransaction. */
  async getReceipt(txHash: string): Promise<Receipt | null> {
    return parseReceipt(await this.request('eth_getTransactionReceipt', [txHash]), txHash)
  }

  /** Whether the node has the transaction, mined or pending. */
  async hasTransaction(txHash: string): Promise<boolean> {
    return (await this.request('eth_getTransactionByHash', [txHash])) !== null
  }

  /**
   * The answer of a Chainlink AggregatorV3Interface feed at the end of a block, with USD_DECIMALS decimals; null if it has
   * none. Rejects with StateUnavailableError if the node has pruned the state, and with the node's error otherwise.
   */
  async getFeedAnswer(feed: string, blockNumber: number): Promise<bigint | null> {
    try {
      return parseFeedResult(await this.request<Hex>('eth_call', [feedCall(feed), numberToHex(blockNumber)]))
    } catch (error) {
      const refusal = classifyCallError(error)
      if (refusal === 'reverted') return null
      // Some nodes report a pruned state as a missing block: it is pruned if the header is there, else the node lags.
      const isPruned =
        refusal === 'no-state' || (refusal === 'no-block' && (await this.getHeader(blockNumber)) !== null)
      if (isPruned) throw new StateUnavailableError(`No state of block ${blockNumber}`, { cause: error })
      throw error
    }
  }

  /** Hex in the response is lower-case. */
  private async request<T = unknown>(method: string, params: unknown[], client = this.client): Promise<T> {
    return lowerHex((await client.request({ method, params } as never)) as T)
  }
}

function describeFilter({ address, topics, topic1, topic2, range }: LogFilter): object {
  const where = { fromBlock: numberToHex(range.from), toBlock: numberToHex(range.to) }
  // A missing topic matches any.
  const padded = (topic: string) => pad(topic as Hex)
  const others = [topic1, topic2].map((topic) => {
    if (topic === undefined) return null
    return typeof topic === 'string' ? padded(topic) : topic.map(padded)
  })
  return { ...where, ...(address && { address }), topics: [topics, ...others] }
}
