import { toEventSelector } from 'viem'
import { MAX_NAME, MAX_SYMBOL, truncateText } from '../../chain/bounds.ts'
import { dataAddress, dataArray, dataText, dataWord, type Log } from '../../chain/logs/log.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { poolManager } from '../../venues/uniswap-v4/pool-manager.ts'
import { uniswapV4 } from '../../venues/uniswap-v4/uniswap-v4.ts'
import type { LaunchFact, Launchpad } from '../launchpad.ts'
import { toMetadataUri } from './to-metadata-uri.ts'

const created = toEventSelector(
  'TokenCreated(address,address,address,string,string,string,string,string,int24,address,bytes32,address,address,address,uint256,address[])',
)

/** Arguments in the data. */
const IMAGE = 1
const NAME = 2
const SYMBOL = 3
const METADATA = 4
const CONTEXT = 5
const POOL_ID = 8
const PAIRED_TOKEN = 9
const EXTENSIONS = 13

/**
 * Clanker v4 on Base and others, the contracts of clanker-devco/v4-contracts. A token begins in a pool of Uniswap V4, whose id the
 * event has. The event is the last one of a launch: the first trades are before it. Other launchpads emit the same event.
 */
export const clankerV4: Launchpad = {
  kind: 'clanker-v4',
  contract: { abi: [], probes: [], uses: {} },
  needs: poolManager.deployment,
  capabilities: [],
  emits: { protocolFees: false, creatorFees: false },
  venue: uniswapV4,
  topics: [created],
  creationTopics: [created],
  subjectOf: (log) => (log.topicCount > 1 ? log.topicAddress(1) : undefined),
  creationFilters: (token) => [{ topics: [created], topic1: token }],
  decode: (log) => (log.topic0 === created ? decodeCreated(log) : undefined),
}

function decodeCreated(log: Log): LaunchFact {
  // An incomplete log is rejected: these arguments are not kept.
  dataText(log, CONTEXT)
  dataArray(log, EXTENSIONS, log.end - log.dataAt)
  return {
    kind: 'create',
    launchpad: log.address,
    token: log.topicAddress(1),
    creator: log.topicAddress(2),
    quoteToken: dataAddress(log, PAIRED_TOKEN),
    name: truncateText(cleanLine(dataText(log, NAME)), MAX_NAME),
    symbol: truncateText(cleanLine(dataText(log, SYMBOL)), MAX_SYMBOL),
    metadataUri: toMetadataUri(dataText(log, METADATA), cleanLine(dataText(log, IMAGE))),
    totalSupply: null,
    curve: null,
    pool: `0x${dataWord(log, POOL_ID).toString(16).padStart(64, '0')}`,
    protocolFeeBps: null,
    creatorFeeBps: null,
  }
}
