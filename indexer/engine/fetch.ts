import type { Hex } from 'viem'
import { Bloom } from '../../chain/logs/bloom.ts'
import { type Log, parseLog, type RpcLog } from '../../chain/logs/log.ts'
import type { Chain, Header } from '../../chain/rpc/client.ts'
import { FilterChoice } from '../../chain/rpc/filter-choice.ts'
import type { NodeLogs } from '../../chain/rpc/packed-responses.ts'
import { parseHeader } from '../../chain/rpc/parse-responses.ts'
import { MAX_LISTED } from '../../chain/rpc/split-list.ts'
import type { BlockRange } from '../../chain/rpc/split-range.ts'
import type { Db } from '../../db/client.ts'
import type { Block } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { pickCreations } from './creations.ts'
import { ChainMovedError } from './errors.ts'
import {
  countLogs,
  type GatheredLogs,
  gather,
  joinBlocks,
  type ReadBlock,
  sortLogs,
  unpackBlocks,
} from './gathered-logs.ts'
import { KnownContracts, splitConfigured, splitKnown } from './known-contracts.ts'
import { contractsOf, listTopics, type Topics } from './module.ts'
import { isAnswer } from './prices/feed-tracker.ts'
import { type Prices, PriceTracker } from './prices/price-tracker.ts'
import { completeFetched } from './reads/read-answers.ts'
import { endAtBlock, getHeaders } from './skipped-heights.ts'

/** Number of blocks verified in each range, besides its last one. */
const CHECKED_BLOCKS = 3

/**
 * A range of this many blocks, or after one with this many logs, is parsed in a worker; for few logs the transfer costs
 * more.
 */
const MANY_BLOCKS = 16
const MANY_LOGS = 2_000

/**
 * Fetches logs of the indexed contracts. It keeps the set of known tokens and pools, because a filter has to list them:
 * a token's transfers can only be requested after its creation was seen. Where that costs less, the filter for many contracts
 * names none, and the logs are filtered here. Logs of singletons are always requested by the ids of what they hold.
 */
export class Fetcher {
  readonly #db: Db
  readonly #chain: Chain
  readonly #contracts: Contracts
  readonly #prices: PriceTracker
  /** The pools whose logs are prices. */
  readonly #priced: ReadonlySet<string>
  /** Configured contracts, except singletons, and the aggregators of the price feed. Replaced as a whole: a range keeps its own. */
  #configured: ReadonlySet<string>
  /** The configured contracts that hold what they create, by ids. */
  readonly #singletons: ReadonlySet<string>
  readonly #known: KnownContracts
  readonly #topics: Topics
  readonly #filters = new FilterChoice()
  /** The end of the range in which a contract was created, by its address or id. */
  readonly #creationRangeEnds = new Map<string, number>()
  #reached: number
  /** The first block with an event of the price feed. */
  #answeredAt: number | undefined
  /** Number of logs in the last range requested. */
  #lastCount = 0

  /** One for each log of single blocks: answers of contracts belong to it. */
  readonly #parsed = new WeakMap<RpcLog, Log>()

  private constructor(
    { db, chain, contracts }: { db: Db; chain: Chain; contracts: Contracts },
    known: KnownContracts,
    prices: PriceTracker,
    reached: number,
  ) {
    this.#db = db
    this.#chain = chain
    this.#contracts = contracts
    this.#prices = prices
    this.#priced = new Set(prices.pools)
    const { plain, singletons } = splitConfigured(contracts)
    this.#configured = new Set([...plain, ...prices.emitters])
    this.#singletons = new Set(singletons)
    this.#topics = listTopics(contracts.modules)
    this.#known = known
    this.#reached = reached
  }

  /**
   * Opens a fetcher that continues after a height that is indexed. `now`: a clock in milliseconds. `by`: of what was created before,
   * only what this contract has created is requested.
   */
  static async open(
    db: Db,
    chain: Chain,
    contracts: Contracts,
    after: number,
    now = () => performance.now(),
    by?: string,
  ): Promise<Fetcher> {
    const known = new KnownContracts()
    for (const { created } of contracts.modules) {
      for (const one of (await created?.listKnown(db, by)) ?? []) known.add(one)
    }
    const prices = await PriceTracker.open(chain, contracts, after, now)
    return new Fetcher({ db, chain, contracts }, known, prices, after)
  }

  /**
   * The height up to which blocks have been fetched. The price is that of this height, so only the next block may
   * follow.
   */
  get reached(): number {
    return this.#reached
  }

  /** The prices after the last block fetched. */
  get prices(): Prices {
    return this.#prices.prices
  }

  /**
   * Requests the logs of a range of final blocks, which are assumed to be of one branch. Request consecutive ranges one
   * after another: each may create contracts that the next one's filter lists. It ends at another height if the chain has skipped
   * the wanted one. See makeBlocks.
   */
  async requestRange(wanted: BlockRange): Promise<RangeLogs> {
    const range = this.#chain.hasSkipped ? await endAtBlock(this.#chain, wanted) : wanted
    const inWorker = range.to - range.from + 1 >= MANY_BLOCKS || this.#lastCount >= MANY_LOGS
    const requested = await this.#gatherLogs(range, inWorker)
    this.#lastCount = requested.count
    return requested
  }

  /**
   * The blocks of a requested range that have indexed logs, and those at the given heights, verified; where the chain has skipped the
   * first height, the block after it. Make those of consecutive ranges one after another: each begins with the price after the one
   * before.
   */
  async makeBlocks(requested: RangeLogs, heights: readonly number[]): Promise<Block[]> {
    const { range, gathered, ends, url } = requested
    const { to } = range
    await this.#refreshPrices()
    const headers = new Map<number, Header>(ends.map((header) => [header.number, header]))
    if (ends.some(({ hash }) => hash !== headers.get(to)?.hash)) throw new ChainMovedError(`Block ${to} was replaced`)
    const missing = new Set(heights.filter((height) => !headers.has(height)))
    for (const [number, { hash, time }] of gathered) {
      if (headers.has(number)) continue
      if (time === undefined) missing.add(number)
      else headers.set(number, { number, hash, parentHash: '', time })
    }
    for (const header of await getHeaders(this.#chain, range, missing)) headers.set(header.number, header)
    for (const [number, { logs }] of gathered) this.#requireDistinct(number, logs, url)
    await this.#verifySample(requested, headers)
    const blocks = this.#joinBlocks(
      [...headers.values()].sort((a, b) => a.number - b.number),
      gathered,
    )
    this.#reached = to
    return blocks
  }

  /** Sorts the logs of a block by their indexes, each of which may occur once: some nodes repeat logs. */
  #requireDistinct(number: number, logs: Log[], url: string): void {
    sortLogs(logs)
    if (logs.some(({ logIndex }, at) => logIndex === logs[at - 1]?.logIndex))
      throw this.#chain.reportContradiction(url, `two logs of block ${number} have the same index`)
  }

  async #refreshPrices(): Promise<void> {
    await this.#prices.refresh(this.#reached)
    this.#configured = new Set([...this.#configured, ...this.#prices.emitters])
  }

  /**
   * Returns the blocks of these headers, with their indexed logs verified. A block is skipped while its bloom excludes
   * the known contracts, and checked again when the batch creates new ones.
   */
  async fetchBlocks(headers: readonly Header[]): Promise<FetchedBlocks> {
    await this.#refreshPrices()
    const isExcluding = await this.#chain.trustsBlooms()
    const read = new Map<number, RpcLog[]>()
    let isProven = true
    for (;;) {
      const wanted = headers.filter((header) => !read.has(header.number) && !(isExcluding && this.#excludes(header)))
      if (wanted.length === 0) break
      await Promise.all(
        wanted.map(async (header) => {
          const found = await this.#chain.readBlockLogs(header, this.#topics.wanted)
          read.set(header.number, found.logs)
          isProven &&= found.isProven
        }),
      )
      const found = wanted.map(({ number, hash }) => ({
        ...{ number, hash },
        logs: this.#filterLogs(read.get(number)!, this.#configured),
      }))
      await this.#completeLogs(found)
      for (const block of found) this.#addCreated([block])
    }
    const gathered: GatheredLogs = new Map()
    for (const { number, hash, time } of headers) {
      const logs = this.#filterLogs(read.get(number) ?? [], this.#known)
      if (logs.length > 0) gathered.set(number, { number, hash, time, logs })
    }
    const blocks = this.#joinBlocks(headers, gathered)
    this.#reached = headers.at(-1)?.number ?? this.#reached
    return { blocks, isProven, readCount: read.size, answeredAt: this.#answeredAt }
  }

  /** Keeps the logs of the configured and of the given contracts. */
  #filterLogs(logs: readonly RpcLog[], contracts: Pick<ReadonlySet<string>, 'has'>): Log[] {
    return logs
      .filter(({ address, topics: [topic0, topic1] }) =>
        this.#isIndexed({ address: address.toLowerCase(), topic0, topic: () => topic1?.toLowerCase() }, contracts),
      )
      .map((log) => this.#parse(log))
  }

  #parse(log: RpcLog): Log {
    const parsed = this.#parsed.get(log) ?? parseLog(log)
    this.#parsed.set(log, parsed)
    return parsed
  }

  /** Reads what the logs of creations leave out, before these are looked at. */
  async #completeLogs(blocks: readonly { number: number; hash: string; logs: Log[] }[]): Promise<void> {
    await completeFetched({ db: this.#db, chain: this.#chain }, this.#contracts, blocks, { mayGiveUp: true })
  }

  /** Whether a log is of a configured contract or of one of these. */
  #isIndexed(
    log: { address: string; topic0: string | undefined; topic(index: 1): string | undefined },
    contracts: Pick<ReadonlySet<string>, 'has'>,
  ): boolean {
    const { address, topic0 = '' } = log
    if (this.#configured.has(address)) return this.#topics.configured.has(topic0)
    if (this.#singletons.has(address)) return this.#topics.held.has(topic0) && contracts.has(log.topic(1) ?? '')
    return (contracts.has(address) || this.#priced.has(address)) && this.#topics.created.has(topic0)
  }

  #excludes({ logsBloom }: Header): boolean {
    if (!logsBloom) return false
    const bloom = new Bloom(logsBloom)
    const has = (item: string) => bloom.has(item)
    if ([...this.#configured, ...this.#priced].some(has)) return false
    /** Many are replaced by the topics of their events. */
    const mayHave = (known: ReadonlySet<string>, topics: ReadonlySet<string>) =>
      [...(known.size > MAX_LISTED ? topics : known)].some(has)
    const { addresses, ids } = this.#known
    if (mayHave(addresses, this.#topics.created)) return false
    return !([...this.#singletons].some(has) && mayHave(ids, this.#topics.held))
  }

  /**
   * Verifies a few blocks whose blooms may match although the range returned no log for them. A log found there means
   * that the node's response was incomplete.
   */
  async #verifySample(
    { range: { from, to }, configured, gathered, url }: RangeLogs,
    headers: ReadonlyMap<number, Header>,
  ): Promise<void> {
    if (!(await this.#chain.trustsBlooms())) return
    const chosen = Array.from({ length: CHECKED_BLOCKS }, () => from + Math.floor(Math.random() * (to - from + 1)))
    const heights = [...new Set([to, ...chosen])].filter((height) => !gathered.has(height))
    // A later range, requested meanwhile, may have created a contract that has logs in this one, such as a pair.
    const requested = {
      has: (address: string) => this.#known.has(address) && (this.#creationRangeEnds.get(address) ?? 0) <= to,
    }
    // An aggregator found since the request was not requested.
    const isLater = (address: string) => this.#configured.has(address) && !configured.has(address)
    for (const height of heights) {
      const header = headers.get(height) ?? (await this.#chain.getHeader(height))
      if (!header || this.#excludes(header)) continue
      const { logs: read } = await this.#chain.readBlockLogs(header, this.#topics.wanted)
      const logs = this.#filterLogs(read, requested)
      if (logs.every(({ address }) => isLater(address))) continue
      throw this.#chain.reportContradiction(url, `logs of block ${height} are missing in its answer for a range`)
    }
  }

  /**
   * Fetches all indexed logs of a range. Those of contracts created within it are requested in a second pass if the filter
   * names contracts.
   */
  async #gatherLogs(range: BlockRange, inWorker: boolean): Promise<RangeLogs> {
    const configured = this.#configured
    const contracts = [...configured, ...this.#priced, ...this.#known.addresses]
    const ids = [...this.#known.ids]
    const isNamed = await this.#filters.isNaming(contracts.length, range, (sample) => this.#countOthers(sample))
    const found = await this.#requestLogs(range, isNamed ? contracts : undefined, inWorker)
    const read = joinBlocks(unpackBlocks(found))
    await this.#completeLogs(read)
    const created = this.#addCreated(read)
    for (const one of created) this.#creationRangeEnds.set(one, range.to)
    const gathered: GatheredLogs = new Map()
    gather(this.#keepIndexed(read), gathered)
    if (!isNamed) this.#filters.learn(range, countLogs(read) - countLogs(gathered.values()))
    const added = splitKnown(created)
    const more = isNamed ? [await this.#requestLogs(range, added.addresses, inWorker)] : []
    more.push(await this.#requestHeld(range, [...ids, ...added.ids], inWorker))
    for (const answer of more) gather(this.#keepIndexed(unpackBlocks(answer)), gathered)
    const ends = [found, ...more].flatMap((answer) => answer.ends).flatMap((end) => parseHeader(end) ?? [])
    return { range, configured, gathered, ends, url: found.url, count: countLogs(gathered.values()) }
  }

  /** Number of logs of other contracts. */
  async #countOthers(range: BlockRange): Promise<number> {
    const read = unpackBlocks(await this.#requestLogs(range, undefined, false))
    return countLogs(read) - countLogs(this.#keepIndexed(read))
  }

  /** Logs of these contracts; without addresses, of every contract. */
  #requestLogs(range: BlockRange, address: string[] | undefined, inWorker: boolean): Promise<NodeLogs> {
    const topics = [...this.#topics.configured, ...this.#topics.created] as Hex[]
    return this.#chain.getPackedLogs({ ...(address && { address }), topics, range }, { inWorker })
  }

  /** Logs of singletons about these ids. */
  #requestHeld(range: BlockRange, ids: readonly string[], inWorker: boolean): Promise<NodeLogs> {
    const [address, topics] = [[...this.#singletons], [...this.#topics.held] as Hex[]]
    const topic1 = address.length > 0 ? ids : []
    return this.#chain.getPackedLogs({ address, topics, topic1, range }, { inWorker })
  }

  #keepIndexed(blocks: readonly ReadBlock[]): ReadBlock[] {
    const isIndexed = (log: Log) => this.#isIndexed(log, this.#known)
    return blocks.map((block) =>
      block.logs.every(isIndexed) ? block : { ...block, logs: block.logs.filter(isIndexed) },
    )
  }

  /** Adds what these logs create to the known contracts. Returns the new ones; a configured one is not new. */
  #addCreated(blocks: readonly { number: number; logs: Log[] }[]): string[] {
    const creations = pickCreations(this.#contracts, blocks)
    const named = this.#contracts.modules.flatMap(
      (module) => module.created?.discover(contractsOf(this.#contracts, module), creations) ?? [],
    )
    const added = [...new Set(named)].filter((one) => !this.#known.has(one) && !this.#configured.has(one))
    for (const one of added) this.#known.add(one)
    return added
  }

  #joinBlocks(headers: readonly Header[], gathered: GatheredLogs): Block[] {
    return headers.map(({ number, hash, parentHash, time }) => {
      const own = gathered.get(number)
      if (own && own.hash !== hash) throw new ChainMovedError(`Block ${number} was replaced while it was being fetched`)
      const logs = own ? sortLogs(own.logs) : []
      const hasPrice = logs.some((log) => isAnswer(log) || this.#priced.has(log.address))
      if (logs.some((log) => this.#prices.isAnswer(log))) this.#answeredAt ??= number
      return {
        number,
        hash,
        parentHash: parentHash || null,
        time,
        ...(hasPrice ? this.#prices.advance(logs) : this.#prices.prices),
        logs: hasPrice ? logs.filter((log) => !this.#isPriceAlone(log)) : logs,
      }
    })
  }

  /** Whether a log is a price and nothing else. A pool may be one of a token as well. */
  #isPriceAlone(log: Log): boolean {
    return isAnswer(log) || (this.#priced.has(log.address) && !this.#known.has(log.address))
  }
}

/** Blocks fetched one by one. */
export interface FetchedBlocks {
  blocks: Block[]
  /** Whether receipts, or the blooms of headers, prove the logs of all of them. */
  isProven: boolean
  /** Number of blocks whose logs were read; blooms exclude those of the others. */
  readCount: number
  /** The first block with an event of the price feed since the fetcher was opened; earlier prices are from its state. */
  answeredAt: number | undefined
}

/** The logs of a requested range. */
export interface RangeLogs {
  range: BlockRange
  /** The configured contracts and the aggregators of the price feed whose logs were requested. */
  configured: ReadonlySet<string>
  gathered: GatheredLogs
  /** Headers of the range's last block, as far as the nodes sent them with the logs. */
  ends: readonly Header[]
  /** The node that sent the logs of the configured contracts. */
  url: string
  /** Number of logs. */
  count: number
}
