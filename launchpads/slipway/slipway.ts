import { uniswapV2 } from '../../venues/uniswap-v2/uniswap-v2.ts'
import type { Launchpad } from '../launchpad.ts'
import { decodeLog, topics } from './decode.ts'

const creationTopics = [topics.create, topics.graduate]

/** Our own contracts: contracts/src/Launchpad.sol. Every event names its token first. */
export const slipway: Launchpad = {
  kind: 'slipway',
  deployment: 'launchpad',
  capabilities: ['launch', 'trade', 'quote', 'graduate', 'creator-fees'],
  venue: uniswapV2,
  topics: Object.values(topics),
  creationTopics,
  subjectOf: (log) => (log.topicCount > 1 ? log.topicAddress(1) : undefined),
  creationFilters: (token) => [{ topics: creationTopics, topic1: token }],
  decode: decodeLog,
}
