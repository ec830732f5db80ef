import type { Hex } from 'viem'
import type { Chain, Header, LogFilter } from '../chain/client.ts'
import { launchpadTopics, poolTopics, tokenTopics, topics } from '../chain/events.ts'
import { type Log, parseLog, type RpcLog } from '../chain/logs.ts'
import type { Db } from '../db/client.ts'
import type { Block } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { domainTopics } from './domains.ts'
import { discoverContracts } from './registry.ts'
import { getOrMake } from './sums.ts'

/** Up to here a filter lists our contracts; above, everybody's logs are fetched and sorted out here. */
const MAX_FILTER_ADDRESSES = 1_000

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
    await this.#fetchPlatformLogs({ from, to }, gathered)
    await this.#fetchContractLogs({ from, to }, gathered)
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
  async #fetchPlatformLogs(range: LogFilter['range'], gathered: GatheredLogs): Promise<void> {
    const { launchpads, staking, raises, aggregators } = this.#contracts
    const platform = await this.#chain.getLogs({
      address: [...launchpads, ...staking, ...raises, ...aggregators],
      topics: [...launchpadTopics, ...domainTopics, topics.answerUpdated],
      range,
    })
    const blocks = gather(platform, gathered)
    const found = discoverContracts(this.#contracts, blocks)
    for (const address of [...found.tokens, ...found.pools.keys()]) this.#known.add(address)
  }

  /** Of the contracts that are known by now. */
  async #fetchContractLogs(range: LogFilter['range'], gathered: GatheredLogs): Promise<void> {
    if (this.#known.size === 0) return
    const isNamed = this.#known.size <= MAX_FILTER_ADDRESSES
    const others = await this.#chain.getLogs({
      ...(isNamed && { address: [...this.#known] }),
      topics: [...tokenTopics, ...poolTopics],
      range,
    })
    gather(isNamed ? others : others.filter((log) => this.#known.has(log.address.toLowerCase())), gathered)
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

/** Logs by the height of their block, read as soon as they come: nothing of the answers is kept but these. */
type GatheredLogs = Map<number, { number: number; hash: string; time: number | undefined; logs: Log[] }>

/** Adds logs to what was gathered. The blocks that they are of. */
function gather(found: readonly RpcLog[], gathered: GatheredLogs): { number: number; logs: Log[] }[] {
  const touched = new Map<Hex, { number: number; hash: string; logs: Log[] }>()
  for (const log of found) {
    let block = touched.get(log.blockNumber)
    if (block === undefined) {
      const number = Number(log.blockNumber)
      const time = log.blockTimestamp === undefined ? undefined : Number(log.blockTimestamp)
      block = getOrMake(gathered, number, () => ({ number, hash: log.blockHash, time, logs: [] }))
      touched.set(log.blockNumber, block)
    }
    if (block.hash !== log.blockHash) {
      throw new ChainMovedError(`Block ${block.number} was replaced while it was being fetched`)
    }
    block.logs.push(parseLog(log))
  }
  return [...touched.values()]
}

/** The answer in an AnswerUpdated(int256 indexed current, …); a feed that answers nothing above 0 has no price. */
function parseAnswer(log: Log): bigint | null {
  const answer = BigInt.asIntN(256, BigInt(log.topics[1] ?? 0))
  return answer > 0n ? answer : null
}
