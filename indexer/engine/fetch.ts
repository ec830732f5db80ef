import type { Hex } from 'viem'
import { Bloom } from '../../chain/bloom.ts'
import type { Chain, Header, LogFilter } from '../../chain/client.ts'
import { launchpadTopics, poolTopics, tokenTopics, topics } from '../../chain/events.ts'
import { StateUnavailableError } from '../../chain/feed-price.ts'
import type { PackedLogs } from '../../chain/log-reader.ts'
import { type Log, parseLog, type RpcLog, readRecords } from '../../chain/logs.ts'
import type { AnsweredLogs } from '../../chain/packed-answers.ts'
import { readHeader } from '../../chain/read-answers.ts'
import type { BlockRange } from '../../chain/split-range.ts'
import type { Db } from '../../db/client.ts'
import { getOrMake } from '../market/deltas.ts'
import type { Block } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { domainTopics } from './domains.ts'
import { parseAnswer, readPriceAt } from './read-price.ts'
import { discoverContracts } from './registry.ts'

/** Up to here a filter lists our contracts; above, everybody's logs are fetched and sorted out here. */
const MAX_FILTER_ADDRESSES = 1_000

const platformTopics: ReadonlySet<string> = new Set([...launchpadTopics, ...domainTopics, topics.answerUpdated])
const contractTopics: ReadonlySet<string> = new Set([...tokenTopics, ...poolTopics])
/** The first topics of all logs that may be ours. */
export const wantedTopics: ReadonlySet<string> = new Set([...platformTopics, ...contractTopics])

/** Of each range, besides its last block. */
const CHECKED_BLOCKS = 3

type Range = LogFilter['range']

/** Ranges like one that held so many logs are read by another thread: for fewer the way there takes longer. */
const MANY_LOGS = 2_000

/** What was fetched contradicts itself, because the chain changed meanwhile. Fetch again. */
export class ChainMovedError extends Error {
  override name = 'ChainMovedError'
}

/**
 * Gets our logs from the node. It remembers which contracts are ours, because a filter has to name them: a token's
 * transfers cannot be asked for before its creation has been seen.
 */
export class Fetcher {
  readonly #chain: Chain
  readonly #contracts: Contracts
  /** The configured contracts. */
  readonly #platform: ReadonlySet<string>
  readonly #known: Set<string>
  /** How many were known at first. */
  readonly #opened: number
  #quoteUsd: bigint | null
  #reached: number
  /** The height at which the price was last asked for. */
  #pricedAt: number
  /** How many logs the last range held. */
  #lastCount = 0

  private constructor(
    chain: Chain,
    contracts: Contracts,
    known: Set<string>,
    start: { quoteUsd: bigint | null; reached: number },
  ) {
    this.#chain = chain
    this.#contracts = contracts
    const { launchpads, staking, raises, aggregators } = contracts
    this.#platform = new Set([...launchpads, ...staking, ...raises, ...aggregators])
    this.#known = known
    this.#opened = known.size
    this.#quoteUsd = start.quoteUsd
    this.#reached = start.reached
    this.#pricedAt = start.reached
  }

  /** A fetcher that goes on after a height that the database has reached. */
  static async open(db: Db, chain: Chain, contracts: Contracts, after: number): Promise<Fetcher> {
    const rows = await db.selectFrom('token_figures').select(['token', 'pool']).execute()
    const known = new Set(rows.flatMap(({ token, pool }) => (pool ? [token, pool] : [token])))
    const quoteUsd = await readPriceAt(chain, contracts, Math.max(after, 0))
    return new Fetcher(chain, contracts, known, { quoteUsd, reached: after })
  }

  /** The height up to which blocks have been fetched. The price is that of there: only the next block may follow. */
  get reached(): number {
    return this.#reached
  }

  /** How many contracts it has found that the database did not know. */
  get learned(): number {
    return this.#known.size - this.#opened
  }

  /** USD price of the native coin after the last block fetched. */
  get quoteUsd(): bigint | null {
    return this.#quoteUsd
  }

  /**
   * The blocks of [from, to] that hold logs of ours, and those of the heights asked for besides. For ranges below the
   * finality depth: that all of it is of one branch is taken for granted.
   */
  async fetchRange(from: number, to: number, heights: readonly number[]): Promise<Block[]> {
    await this.#askPriceAgain()
    const { gathered, ends, url } = await this.#gatherLogs([{ from, to }], this.#lastCount >= MANY_LOGS)
    const headers = new Map<number, Header>(ends.map((header) => [header.number, header]))
    if (ends.some(({ hash }) => hash !== headers.get(to)?.hash)) throw new ChainMovedError(`Block ${to} was replaced`)
    const missing = new Set(heights.filter((height) => !headers.has(height)))
    for (const [number, { hash, time }] of gathered) {
      if (headers.has(number)) continue
      if (time === undefined) missing.add(number)
      else headers.set(number, { number, hash, parentHash: '', time })
    }
    const fetched = await Promise.all([...missing].map((number) => this.#chain.getHeader(number)))
    for (const header of fetched) {
      if (!header) throw new ChainMovedError(`A block of [${from}, ${to}] is gone`)
      headers.set(header.number, header)
    }
    await this.#checkSome({ from, to }, headers, gathered, url)
    const blocks = this.#makeBlocks(
      [...headers.values()].sort((a, b) => a.number - b.number),
      gathered,
    )
    this.#reached = to
    this.#lastCount = blocks.reduce((sum, { logs }) => sum + logs.length, 0)
    return blocks
  }

  /** No price is known, for want of old state or of a first answer: the block reached may have one. */
  async #askPriceAgain(): Promise<void> {
    const { feed } = this.#contracts
    if (feed === null || this.#quoteUsd !== null || this.#reached <= this.#pricedAt) return
    this.#quoteUsd = await this.#chain.getFeedAnswer(feed, this.#reached).catch((error: unknown) => {
      if (error instanceof StateUnavailableError) return null
      throw error
    })
    this.#pricedAt = this.#reached
  }

  /**
   * The blocks of these headers with our logs, certain and of the branch that the headers are of. A block whose bloom
   * excludes our contracts is not asked for; what a block launches may be in those that were passed over before.
   */
  async fetchBlocks(headers: readonly Header[]): Promise<Block[]> {
    await this.#askPriceAgain()
    const isExcluding = await this.#chain.trustsBlooms()
    const read = new Map<number, RpcLog[]>()
    for (;;) {
      const wanted = headers.filter((header) => !read.has(header.number) && !(isExcluding && this.#excludes(header)))
      if (wanted.length === 0) break
      await Promise.all(
        wanted.map(async (header) => {
          read.set(header.number, await this.#chain.readBlockLogs(header, wantedTopics))
        }),
      )
      for (const { number } of wanted) this.#learn([{ number, logs: this.#pick(read.get(number)!, this.#platform) }])
    }
    const gathered: GatheredLogs = new Map()
    for (const { number, hash, time } of headers) {
      const logs = this.#pick(read.get(number) ?? [], this.#known)
      if (logs.length > 0) gathered.set(number, { number, hash, time, logs })
    }
    const blocks = this.#makeBlocks(headers, gathered)
    this.#reached = headers.at(-1)?.number ?? this.#reached
    return blocks
  }

  /** Those of the configured contracts, and of these. */
  #pick(logs: readonly RpcLog[], contracts: ReadonlySet<string>): Log[] {
    const isOurs = (address: string, topic = '') =>
      this.#platform.has(address) ? platformTopics.has(topic) : contracts.has(address) && contractTopics.has(topic)
    return logs.filter(({ address, topics: [topic] }) => isOurs(address.toLowerCase(), topic)).map(parseLog)
  }

  #excludes({ logsBloom }: Header): boolean {
    if (!logsBloom) return false
    const bloom = new Bloom(logsBloom)
    const has = (item: string) => bloom.has(item)
    if ([...this.#platform].some(has)) return false
    if (this.#known.size > MAX_FILTER_ADDRESSES) return ![...contractTopics].some(has)
    return ![...this.#known].some(has)
  }

  /**
   * Blocks of a range in which nothing of ours was found, although their blooms say that there may be: a few are looked at
   * closely. Where there is something after all, the answer for the range is wrong.
   */
  async #checkSome(
    { from, to }: BlockRange,
    headers: ReadonlyMap<number, Header>,
    gathered: GatheredLogs,
    url: string,
  ): Promise<void> {
    if (!(await this.#chain.trustsBlooms())) return
    const chosen = Array.from({ length: CHECKED_BLOCKS }, () => from + Math.floor(Math.random() * (to - from + 1)))
    const heights = [...new Set([to, ...chosen])].filter((height) => !gathered.has(height))
    for (const height of heights) {
      const header = headers.get(height) ?? (await this.#chain.getHeader(height))
      if (!header || this.#excludes(header)) continue
      const logs = await this.#chain.readBlockLogs(header, wantedTopics)
      if (this.#pick(logs, this.#known).length === 0) continue
      throw this.#chain.contradict(url, `logs of block ${height} are missing in its answer for a range`)
    }
  }

  /**
   * All logs of ours in some ranges, which follow each other. What is known is asked for at once; what the ranges themselves
   * launch was in no filter, and is asked for when all of it is known: answers come in any order.
   */
  async #gatherLogs(
    ranges: readonly Range[],
    aside: boolean,
  ): Promise<{ gathered: GatheredLogs; ends: readonly Header[]; url: string }> {
    const isNamed = this.#known.size <= MAX_FILTER_ADDRESSES
    const known = isNamed ? [...this.#known] : undefined
    const [platform, others] = await Promise.all([
      Promise.all(ranges.map((range) => this.#getPlatformLogs(range, aside))),
      Promise.all(ranges.map((range) => this.#getContractLogs(range, known, aside))),
    ])
    const gathered: GatheredLogs = new Map()
    const launched = platform.flatMap((found) => this.#learn(gather(found, gathered)))
    for (const found of others) gather(found, gathered, isNamed ? undefined : this.#known)
    const isLearned = !isNamed || launched.length === 0
    const rest = isLearned
      ? []
      : await Promise.all(ranges.map((range) => this.#getContractLogs(range, launched, aside)))
    for (const found of rest) gather(found, gathered)
    const ends = [...platform, ...others, ...rest].flatMap(({ end }) => readHeader(end ?? null) ?? [])
    return { gathered, ends, url: platform[0]?.url ?? '' }
  }

  /** Of the configured contracts. */
  #getPlatformLogs(range: Range, aside: boolean): Promise<AnsweredLogs> {
    const filter = { address: [...this.#platform], topics: [...platformTopics] as Hex[], range }
    return this.#chain.getPackedLogs(filter, { aside })
  }

  /** Of tokens and pools; without their addresses, everybody's. */
  async #getContractLogs(
    range: Range,
    address: string[] | undefined,
    aside: boolean,
  ): Promise<PackedLogs & Pick<AnsweredLogs, 'end'>> {
    if (address?.length === 0) return { blocks: [], bytes: Buffer.alloc(0) }
    const filter = { ...(address && { address }), topics: [...contractTopics] as Hex[], range }
    return this.#chain.getPackedLogs(filter, { aside })
  }

  /** Remembers the contracts that platform logs speak of. Those that were not known. */
  #learn(blocks: readonly { number: number; logs: Log[] }[]): string[] {
    const { tokens, pools } = discoverContracts(this.#contracts, blocks)
    const named = new Set([...tokens.keys(), ...pools.map(({ address }) => address)])
    const launched = [...named].filter((address) => !this.#known.has(address))
    for (const address of launched) this.#known.add(address)
    return launched
  }

  #makeBlocks(headers: readonly Header[], gathered: GatheredLogs): Block[] {
    return headers.map(({ number, hash, parentHash, time }) => {
      const own = gathered.get(number)
      if (own && own.hash !== hash) throw new ChainMovedError(`Block ${number} was replaced while it was being fetched`)
      const logs = own?.logs.sort((a, b) => a.logIndex - b.logIndex) ?? []
      const isAnswer = (log: Log) => log.topics[0] === topics.answerUpdated
      const { aggregators } = this.#contracts
      // Any contract of ours may say the same words.
      const answer = logs.findLast((log) => isAnswer(log) && aggregators.includes(log.address))
      if (answer) this.#quoteUsd = parseAnswer(answer.topics)
      return {
        number,
        hash,
        parentHash: parentHash || null,
        time,
        quoteUsd: this.#quoteUsd,
        logs: logs.some(isAnswer) ? logs.filter((log) => !isAnswer(log)) : logs,
      }
    })
  }
}

/** Logs by the height of their block. */
type GatheredLogs = Map<number, { number: number; hash: string; time: number | undefined; logs: Log[] }>

/** Adds logs to what was gathered, of these addresses or of all. What there was of each block. */
function gather(
  { blocks, bytes }: PackedLogs,
  gathered: GatheredLogs,
  addresses?: ReadonlySet<string>,
): { number: number; logs: Log[] }[] {
  return blocks.map(({ number, hash, time, count, start }) => {
    const records = readRecords(bytes, start, count)
    const logs = addresses ? records.filter(({ address }) => addresses.has(address)) : records
    if (logs.length === 0) return { number, logs }
    const block = getOrMake(gathered, number, () => ({ number, hash, time, logs: [] }))
    if (block.hash !== hash) throw new ChainMovedError(`Block ${number} was replaced while it was being fetched`)
    for (const log of logs) block.logs.push(log)
    return { number, logs }
  })
}
