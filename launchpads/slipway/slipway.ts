import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { uniswapV2 } from '../../venues/uniswap-v2/uniswap-v2.ts'
import type { Launchpad } from '../launchpad.ts'
import { decodeLog, topics } from './decode.ts'
import { encodeCurveTrade } from './encode-trade.ts'
import { graduation } from './graduation.ts'

const creationTopics = [topics.create, topics.graduate]

/** Our own contracts: contracts/src/Launchpad.sol. Every event names its token first. */
export const slipway: Launchpad = {
  kind: 'slipway',
  contract: {
    abi: launchpadAbi,
    probes: ['weth', 'uniswapV2Factory', 'launchCount'],
    uses: { 'wrapped-native': 'weth', 'uniswap-factory': 'uniswapV2Factory' },
  },
  capabilities: ['launch', 'trade', 'quote', 'graduate', 'creator-fees'],
  emits: { protocolFees: true, creatorFees: true },
  venue: uniswapV2,
  topics: Object.values(topics),
  creationTopics,
  subjectOf: (log) => (log.topicCount > 1 ? log.topicAddress(1) : undefined),
  creationFilters: (token) => [{ topics: creationTopics, topic1: token }],
  decode: decodeLog,
  encodeTrade: encodeCurveTrade,
  graduation,
}
