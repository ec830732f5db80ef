import type { SharedContract } from '../venue.ts'
import { topics } from './decode.ts'

const indexed: readonly string[] = Object.values(topics)

/** The contract of Uniswap V4 in which all pools of a chain are. */
export const poolManager: SharedContract = {
  deployment: 'uniswap-v4-pool-manager',
  topics: Object.values(topics),
  creationTopic: topics.initialize,
  poolOf: (log) => (indexed.includes(log.topic0) ? log.topic(1) : undefined),
  holdsPools: true,
}
