import { ANSWER_UPDATED } from '../../../chain/feed/aggregators.ts'
import { tokenTopics } from '../../../chain/token-events.ts'
import { topics as slipwayTopics } from '../../../launchpads/slipway/decode.ts'
import { topics as pairTopics } from '../../../venues/uniswap-v2/decode.ts'

/** topic0 of the events of our launchpad, of tokens, of pairs and of the price feed. */
export const topics = { ...slipwayTopics, ...tokenTopics, ...pairTopics, answerUpdated: ANSWER_UPDATED } as const
