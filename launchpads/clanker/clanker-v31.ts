import { toEventSelector } from 'viem'
import { MAX_NAME, MAX_SYMBOL, truncateText } from '../../chain/bounds.ts'
import { dataAddress, dataText, type Log } from '../../chain/logs/log.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { factory, findCreatedPool } from '../../venues/uniswap-v3/factory.ts'
import { uniswapV3 } from '../../venues/uniswap-v3/uniswap-v3.ts'
import type { LaunchFact, Launchpad } from '../launchpad.ts'
import { toMetadataUri } from './to-metadata-uri.ts'

const created = toEventSelector(
  'TokenCreated(address,address,address,address,address,uint256,string,string,int24,string,uint256,uint256,uint8,address)',
)

/**
 * Clanker v3.1 on Base and others, the contracts of clanker-devco/v3.1-contracts. A token begins in a pool of Uniswap V3. The
 * event does not name the pool: the factory's does, before it. The first trade may be before it, too.
 */
export const clankerV31: Launchpad = {
  kind: 'clanker-v31',
  contract: { abi: [], probes: [], uses: {} },
  needs: factory.deployment,
  capabilities: [],
  emits: { protocolFees: false, creatorFees: false },
  venue: uniswapV3,
  topics: [created],
  creationTopics: [created],
  subjectOf: (log) => (log.topicCount > 1 ? log.topicAddress(1) : undefined),
  creationFilters: (token) => [{ topics: [created], topic1: token }],
  decode: (log, readOthers) => (log.topic0 === created ? decodeCreated(log, readOthers()) : undefined),
}

function decodeCreated(log: Log, others: readonly Log[]): LaunchFact {
  const token = log.topicAddress(1)
  // The last of its arguments: an incomplete log is rejected.
  log.topicAddress(3)
  dataAddress(log, 10)
  const created = findCreatedPool(others, token)
  if (created === undefined)
    throw new RangeError(
      `Log ${log.txHash}/${log.logIndex}: no uniswap-v3-factory in DEPLOYMENTS has created a pool of the token before`,
    )
  return {
    kind: 'create',
    launchpad: log.address,
    token,
    creator: log.topicAddress(2),
    quoteToken: created.other,
    name: truncateText(cleanLine(dataText(log, 3)), MAX_NAME),
    symbol: truncateText(cleanLine(dataText(log, 4)), MAX_SYMBOL),
    metadataUri: toMetadataUri(dataText(log, 6)),
    totalSupply: null,
    curve: null,
    pool: created.pool,
    protocolFeeBps: null,
    creatorFeeBps: null,
  }
}
