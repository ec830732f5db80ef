import { validUsdOrNull } from '../../../chain/bounds.ts'
import { ANSWER_UPDATED, readFeedAggregators } from '../../../chain/feed/aggregators.ts'
import { StateUnavailableError } from '../../../chain/feed/read-price.ts'
import type { Chain } from '../../../chain/rpc/client.ts'

const FIRST_SEARCH = 5_000
/** A feed updates at least once a day; no chain has more blocks than this in a day. */
const MAX_SEARCHED_BLOCKS = 1_000_000

/**
 * USD price of the native coin at the end of a block, USD_DECIMALS decimals; null without a feed or an update. If no node has
 * the state of that block, the last AnswerUpdated of any of the feed's aggregators counts. Rejects if the node fails, because
 * an unread price must not be stored as null.
 */
export async function readPriceAt(chain: Chain, feed: string | null, block: number): Promise<bigint | null> {
  if (feed === null) return null
  try {
    return await chain.getFeedAnswer(feed, block)
  } catch (error) {
    if (!(error instanceof StateUnavailableError)) throw error
    return findLastAnswer(chain, feed, block)
  }
}

async function findLastAnswer(chain: Chain, feed: string, block: number): Promise<bigint | null> {
  const { emitters } = await readFeedAggregators(chain, feed)
  const lowest = Math.max(0, block - MAX_SEARCHED_BLOCKS)
  let span = FIRST_SEARCH
  for (let to = block; to >= lowest; span *= 2) {
    const from = Math.max(lowest, to - span + 1)
    const logs = await chain.getLogs({ address: [...emitters], topics: [ANSWER_UPDATED], range: { from, to } })
    const last = logs
      .toSorted((a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex))
      .at(-1)
    if (last) return parseAnswer(last.topics)
    to = from - 1
  }
  return null
}

/** The price in the topics of AnswerUpdated(int256 indexed current, …). */
export const parseAnswer = (topics: readonly string[]): bigint | null =>
  validUsdOrNull(BigInt.asIntN(256, BigInt(topics[1] ?? 0)))
