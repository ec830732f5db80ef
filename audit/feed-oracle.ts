import { readFeedAggregators } from '../chain/feed/aggregators.ts'
import { StateUnavailableError } from '../chain/feed/read-price.ts'
import type { RpcLog } from '../chain/logs/log.ts'
import type { Chain } from '../chain/rpc/client.ts'

/** Price feeds publish at least once a day. */
const MAX_AGE_SECONDS = 86_400

/** A price with USD_DECIMALS decimals, or null, and the time of its block in seconds. */
interface Answer {
  price: bigint | null
  time: number
}

/** The expected USD price after each block: the last answer of any of the feed's aggregators. */
export class FeedOracle {
  /** Without a feed, prices are null. */
  static readonly none = new FeedOracle(new Set(), null)

  /** The contracts whose AnswerUpdated counts, in lower case. */
  readonly emitters: ReadonlySet<string>
  /** undefined: the node does not serve old prices, so the stored ones are used. */
  #price: bigint | null | undefined
  /** The last answer of each emitter. */
  readonly #answers = new Map<string, Answer>()

  private constructor(emitters: ReadonlySet<string>, price: bigint | null | undefined) {
    this.emitters = emitters
    this.#price = price
  }

  /** Begins with the price at the end of a block. Rejects if the node fails. */
  static async open(chain: Chain, feed: string, block: number): Promise<FeedOracle> {
    const { current, emitters } = await readFeedAggregators(chain, feed)
    const price = await chain.getFeedAnswer(feed, block).catch((error: unknown) => {
      if (error instanceof StateUnavailableError) return null
      throw error
    })
    const oracle = new FeedOracle(emitters, price ?? undefined)
    if (price === null) return oracle
    // Of several aggregators it is unknown which one this price is from: no later answer replaces it.
    const source = current !== null && emitters.size === 2 ? current : feed
    oracle.#answers.set(source, { price, time: (await chain.getHeader(block))?.time ?? 0 })
    return oracle
  }

  /** Takes the price of an AnswerUpdated event. Give events in their order. */
  add({ address, topics }: RpcLog, time: number): void {
    const emitter = address.toLowerCase()
    if (!this.emitters.has(emitter)) return
    const answer = BigInt.asIntN(256, BigInt(topics[1] ?? 0))
    this.#price = answer > 0n && answer <= 10n ** 23n ? answer : null
    this.#answers.set(emitter, { price: this.#price, time })
  }

  /**
   * The price after the events added so far. A new aggregator publishes before its feed reads it, and the indexer notices it
   * later: until then the price that it stores is the last one of another aggregator.
   */
  expectPrice(stored: bigint | null, time: number): bigint | null {
    if (this.#price === undefined) return stored
    const isPublished = [...this.#answers.values()].some(
      (answer) => answer.price === stored && time - answer.time <= MAX_AGE_SECONDS,
    )
    return isPublished ? stored : this.#price
  }
}
