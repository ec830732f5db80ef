import { believeUsd } from '../chain/bounds.ts'
import type { Chain, Header, LogFilter } from '../chain/client.ts'
import { launchpadTopics, poolTopics, tokenTopics, topics } from '../chain/events.ts'
import type { PackedLogs } from '../chain/log-reader.ts'
import { type Log, readRecords } from '../chain/logs.ts'
import type { Db } from '../db/client.ts'
import type { Block } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { domainTopics } from './domains.ts'
import { discoverContracts } from './registry.ts'
import { getOrMake } from './sums.ts'

/** Up to here a filter lists our contracts; above, everybody's logs are fetched and sorted out here. */
const MAX_FILTER_ADDRESSES = 1_000

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
  readonly #known: Set<string>
  #quoteUsd: bigint | null
  #reached: number
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
    this.#known = known
    this.#quoteUsd = start.quoteUsd
    this.#reached = start.reached
  }

  /** A fetcher that goes on after a height that the database has reached. */
  static async open(db: Db, chain: Chain, contracts: Contracts, after: number): Promise<Fetcher> {
    const rows = await db.selectFrom('token_figures').select(['token', 'pool']).execute()
    const known = new Set(rows.flatMap(({ token, pool }) => (pool ? [token, pool] : [token])))
    const quoteUsd = contracts.feed === null ? null : await chain.getFeedAnswer(contracts.feed, Math.max(after, 0))
    return new Fetcher(chain, contracts, known, { quoteUsd, reached: after })
  }

  /** The height up to which blocks have been fetched. The price is that of there: only the next block may follow. */
  get reached(): number {
    return this.#reached
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
    const gathered = await this.#gatherLogs([{ from, to }], this.#lastCount >= MANY_LOGS)
    const headers = new Map<number, Header>()
    const missing = new Set(heights)
    for (const [number, { hash, time }] of gathered) {
      if (time === undefined) missing.add(number)
      else headers.set(number, { number, hash, parentHash: '', time })
    }
    const fetched = await Promise.all([...missing].map((number) => this.#chain.getHeader(number)))
    for (const header of fetched) {
      if (!header) throw new ChainMovedError(`A block of [${from}, ${to}] is gone`)
      headers.set(header.number, header)
    }
    const blocks = this.#makeBlocks(
      [...headers.values()].sort((a, b) => a.number - b.number),
      gathered,
    )
    this.#reached = to
    this.#lastCount = blocks.reduce((sum, { logs }) => sum + logs.length, 0)
    return blocks
  }

  /** The blocks of these headers with our logs, by hash: they are of the branch that the headers are of. */
  async fetchBlocks(headers: readonly Header[]): Promise<Block[]> {
    const gathered = await this.#gatherLogs(
      headers.map(({ hash }) => ({ blockHash: hash })),
      false,
    )
    const blocks = this.#makeBlocks(headers, gathered)
    this.#reached = headers.at(-1)?.number ?? this.#reached
    return blocks
  }

  /**
   * All logs of ours in some ranges, which follow each other. What is known is asked for at once; what the ranges themselves
   * launch was in no filter, and is asked for when all of it is known: answers come in any order.
   */
  async #gatherLogs(ranges: readonly Range[], aside: boolean): Promise<GatheredLogs> {
    const isNamed = this.#known.size <= MAX_FILTER_ADDRESSES
    const known = isNamed ? [...this.#known] : undefined
    const [platform, others] = await Promise.all([
      Promise.all(ranges.map((range) => this.#getPlatformLogs(range, aside))),
      Promise.all(ranges.map((range) => this.#getContractLogs(range, known, aside))),
    ])
    const gathered: GatheredLogs = new Map()
    const launched = platform.flatMap((found) => this.#learn(gather(found, gathered)))
    for (const found of others) gather(found, gathered, isNamed ? undefined : this.#known)
    if (!isNamed || launched.length === 0) return gathered
    const rest = await Promise.all(ranges.map((range) => this.#getContractLogs(range, launched, aside)))
    for (const found of rest) gather(found, gathered)
    return gathered
  }

  /** Of the configured contracts. */
  #getPlatformLogs(range: Range, aside: boolean): Promise<PackedLogs> {
    const { launchpads, staking, raises, aggregators } = this.#contracts
    const filter = {
      address: [...launchpads, ...staking, ...raises, ...aggregators],
      topics: [...launchpadTopics, ...domainTopics, topics.answerUpdated],
      range,
    }
    return this.#chain.getPackedLogs(filter, { aside })
  }

  /** Of tokens and pools; without their addresses, everybody's. */
  async #getContractLogs(range: Range, address: string[] | undefined, aside: boolean): Promise<PackedLogs> {
    if (address?.length === 0) return { blocks: [], bytes: Buffer.alloc(0) }
    const filter = { ...(address && { address }), topics: [...tokenTopics, ...poolTopics], range }
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
      if (answer) this.#quoteUsd = parseAnswer(answer)
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

/** The answer in an AnswerUpdated(int256 indexed current, …). */
const parseAnswer = (log: Log): bigint | null => believeUsd(BigInt.asIntN(256, BigInt(log.topics[1] ?? 0)))
