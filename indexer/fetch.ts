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
    const gathered: GatheredLogs = new Map()
    const aside = this.#lastCount >= MANY_LOGS
    await this.#fetchPlatformLogs({ from, to }, gathered, aside)
    await this.#fetchContractLogs({ from, to }, gathered, aside)
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
    const ranges = headers.map(({ hash }) => ({ blockHash: hash }))
    const gathered: GatheredLogs = new Map()
    // One after the other: answers may come in any order, and what a block launches is named in the filter of the next.
    await Promise.all(ranges.map((range) => this.#fetchPlatformLogs(range, gathered)))
    await Promise.all(ranges.map((range) => this.#fetchContractLogs(range, gathered)))
    const blocks = this.#makeBlocks(headers, gathered)
    this.#reached = headers.at(-1)?.number ?? this.#reached
    return blocks
  }

  /** Of the configured contracts. Learns what contracts they speak of. */
  async #fetchPlatformLogs(range: LogFilter['range'], gathered: GatheredLogs, aside = false): Promise<void> {
    const { launchpads, staking, raises, aggregators } = this.#contracts
    const filter = {
      address: [...launchpads, ...staking, ...raises, ...aggregators],
      topics: [...launchpadTopics, ...domainTopics, topics.answerUpdated],
      range,
    }
    const blocks = gather(await this.#chain.getPackedLogs(filter, { aside }), gathered)
    const found = discoverContracts(this.#contracts, blocks)
    for (const address of [...found.tokens, ...found.pools.keys()]) this.#known.add(address)
  }

  /** Of the contracts that are known by now. */
  async #fetchContractLogs(range: LogFilter['range'], gathered: GatheredLogs, aside = false): Promise<void> {
    if (this.#known.size === 0) return
    const isNamed = this.#known.size <= MAX_FILTER_ADDRESSES
    const filter = {
      ...(isNamed && { address: [...this.#known] }),
      topics: [...tokenTopics, ...poolTopics],
      range,
    }
    const others = await this.#chain.getPackedLogs(filter, { aside })
    gather(others, gathered, isNamed ? undefined : this.#known)
  }

  #makeBlocks(headers: readonly Header[], gathered: GatheredLogs): Block[] {
    return headers.map(({ number, hash, parentHash, time }) => {
      const own = gathered.get(number)
      if (own && own.hash !== hash) throw new ChainMovedError(`Block ${number} was replaced while it was being fetched`)
      const logs = own?.logs.sort((a, b) => a.logIndex - b.logIndex) ?? []
      const isAnswer = (log: Log) => log.topics[0] === topics.answerUpdated
      const answer = logs.findLast(isAnswer)
      if (answer) this.#quoteUsd = parseAnswer(answer)
      return {
        number,
        hash,
        parentHash: parentHash || null,
        time,
        quoteUsd: this.#quoteUsd,
        logs: answer ? logs.filter((log) => !isAnswer(log)) : logs,
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

/** The answer in an AnswerUpdated(int256 indexed current, …); a feed that answers nothing above 0 has no price. */
function parseAnswer(log: Log): bigint | null {
  const answer = BigInt.asIntN(256, BigInt(log.topics[1] ?? 0))
  return answer > 0n ? answer : null
}
