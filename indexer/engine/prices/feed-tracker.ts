import {
  ANSWER_UPDATED,
  type FeedAggregators,
  readCurrentAggregator,
  readFeedAggregators,
} from '../../../chain/feed/aggregators.ts'
import { StateUnavailableError } from '../../../chain/feed/read-price.ts'
import type { Log } from '../../../chain/logs/log.ts'
import type { Chain } from '../../../chain/rpc/client.ts'
import { parseAnswer, readPriceAt } from './read-price.ts'

/** Minimum time between two requests for the current aggregator. */
const REFRESH_MS = 60_000

const NO_FEED: FeedAggregators = { current: null, emitters: new Set() }

/** Whether a log may be a price. Other indexed contracts may emit an event with the same topic. */
export const isAnswer = (log: Log): boolean => log.topic0 === ANSWER_UPDATED

/**
 * The USD price of the native coin from block to block, by the AnswerUpdated events of the feed and its aggregators.
 * Chainlink replaces the aggregator of a feed from time to time, so the current one is requested again.
 */
export class FeedTracker {
  readonly #chain: Chain
  readonly #feed: string | null
  readonly #now: () => number
  #aggregators: FeedAggregators
  /** When the aggregator was last requested. */
  #checkedAt: number
  #nativeUsd: bigint | null
  /** The height at which the price was last requested. */
  #pricedAt: number

  private constructor(
    chain: Chain,
    feed: string | null,
    now: () => number,
    start: { aggregators: FeedAggregators; checkedAt: number; nativeUsd: bigint | null; pricedAt: number },
  ) {
    this.#chain = chain
    this.#feed = feed
    this.#now = now
    this.#aggregators = start.aggregators
    this.#checkedAt = start.checkedAt
    this.#nativeUsd = start.nativeUsd
    this.#pricedAt = start.pricedAt
  }

  /** Begins with the price at the end of a block. `now`: a clock in milliseconds. Rejects if the node fails. */
  static async open(chain: Chain, feed: string | null, after: number, now: () => number): Promise<FeedTracker> {
    const checkedAt = now()
    const aggregators = feed === null ? NO_FEED : await readFeedAggregators(chain, feed)
    const nativeUsd = await readPriceAt(chain, feed, Math.max(after, 0))
    return new FeedTracker(chain, feed, now, { aggregators, checkedAt, nativeUsd, pricedAt: after })
  }

  /** The contracts whose AnswerUpdated counts, in lower case. None is ever removed: a node that lags returns fewer. */
  get emitters(): ReadonlySet<string> {
    return this.#aggregators.emitters
  }

  /** USD price after the last block, USD_DECIMALS decimals; null if unknown. */
  get nativeUsd(): bigint | null {
    return this.#nativeUsd
  }

  /**
   * Call it before the blocks after `reached`. It adopts a new aggregator, at most once a minute, with the price at `reached`,
   * and requests an unknown price again. Rejects, and changes nothing, if the node fails.
   */
  async refresh(reached: number): Promise<void> {
    if (this.#feed === null) return
    const checkedAt = this.#now()
    const isDue = checkedAt - this.#checkedAt >= REFRESH_MS
    const replaced = isDue ? await this.#findReplaced(this.#feed) : undefined
    if (replaced || (this.#nativeUsd === null && reached > this.#pricedAt)) {
      this.#nativeUsd = await this.#readPrice(this.#feed, reached)
      this.#pricedAt = reached
    }
    if (replaced) this.#aggregators = replaced
    if (isDue) this.#checkedAt = checkedAt
  }

  /** The aggregators, if the current one is another than before. */
  async #findReplaced(feed: string): Promise<FeedAggregators | undefined> {
    const current = await readCurrentAggregator(this.#chain, feed)
    if (current === null || current === this.#aggregators.current) return undefined
    const found = await readFeedAggregators(this.#chain, feed)
    return { current: found.current, emitters: new Set([...this.emitters, ...found.emitters]) }
  }

  /** The price stays as it is where old state is missing. */
  async #readPrice(feed: string, block: number): Promise<bigint | null> {
    try {
      return await this.#chain.getFeedAnswer(feed, Math.max(block, 0))
    } catch (error) {
      if (error instanceof StateUnavailableError) return this.#nativeUsd
      throw error
    }
  }

  /** Whether a log is a price of this feed. */
  isAnswer(log: Log): boolean {
    return isAnswer(log) && this.emitters.has(log.address)
  }

  /** The price after the next block, whose logs are given in their order. */
  advance(logs: readonly Log[]): bigint | null {
    const answer = logs.findLast((log) => this.isAnswer(log))
    if (answer) this.#nativeUsd = parseAnswer(answer.topics)
    return this.#nativeUsd
  }
}
