import { toEventSelector, zeroAddress } from 'viem'
import { dropLongUri, MAX_NAME, MAX_SYMBOL, requireAmounts, truncateText } from '../../chain/bounds.ts'
import { dataAmount, dataText, type Log } from '../../chain/logs/log.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { uniswapV3 } from '../../venues/uniswap-v3/uniswap-v3.ts'
import type { LaunchFact, Launchpad, LaunchpadFact, Side, UnpricedTradeFact } from '../launchpad.ts'

const topics = {
  create: toEventSelector('CurveCreate(address,address,address,string,string,string,uint256,uint256,uint256)'),
  buy: toEventSelector('CurveBuy(address,address,uint256,uint256)'),
  sell: toEventSelector('CurveSell(address,address,uint256,uint256)'),
  sync: toEventSelector('CurveSync(address,uint256,uint256,uint256,uint256)'),
  locked: toEventSelector('CurveTokenLocked(address)'),
  graduate: toEventSelector('CurveGraduate(address,address)'),
} as const

/** Which topic of an event names its token. */
const tokenTopic = new Map<string, number>([
  [topics.create, 2],
  [topics.buy, 2],
  [topics.sell, 2],
  [topics.sync, 1],
  [topics.locked, 1],
  [topics.graduate, 1],
])

/**
 * The bonding curve of nad.fun on Monad, the contracts of Naddotfun/contract-v3-abi. Trades are reported in two events: the
 * amounts, then the reserves. Fees are in no event.
 */
export const nadFun: Launchpad = {
  kind: 'nad-fun',
  contract: { abi: [], probes: [], uses: {} },
  capabilities: ['graduate'],
  emits: { protocolFees: false, creatorFees: false },
  venue: uniswapV3,
  topics: Object.values(topics),
  creationTopics: [topics.create, topics.graduate],
  subjectOf: (log) => {
    const index = tokenTopic.get(log.topic0)
    return index !== undefined && index < log.topicCount ? log.topicAddress(index) : undefined
  },
  creationFilters: (token) => [
    { topics: [topics.create], topic2: token },
    { topics: [topics.graduate], topic1: token },
  ],
  decode(log) {
    switch (log.topic0) {
      case topics.create:
        return decodeCreate(log)
      case topics.buy:
        return decodeTrade(log, 'buy')
      case topics.sell:
        return decodeTrade(log, 'sell')
      case topics.sync:
        return decodeSync(log)
      case topics.locked:
        return { kind: 'completed', token: log.topicAddress(1) }
      case topics.graduate:
        return {
          kind: 'graduate',
          launchpad: log.address,
          token: log.topicAddress(1),
          pool: log.topicAddress(2),
          liquidity: null,
        }
    }
    return undefined
  },
}

/** The curve is sold out when its virtual tokens have fallen to the last word. */
function decodeCreate(log: Log): LaunchFact {
  // The last of its indexed arguments: an incomplete log is rejected.
  log.topicAddress(3)
  const [virtualQuote, virtualToken, lastToken] = [dataAmount(log, 3), dataAmount(log, 4), dataAmount(log, 5)]
  if (lastToken === 0n || lastToken > virtualToken)
    throw new RangeError(
      `Log ${log.txHash}/${log.logIndex}: a curve of ${virtualToken} tokens cannot end at ${lastToken}`,
    )
  const targetQuote = (virtualQuote * virtualToken) / lastToken - virtualQuote
  requireAmounts(targetQuote)
  return {
    kind: 'create',
    launchpad: log.address,
    token: log.topicAddress(2),
    creator: log.topicAddress(1),
    quoteToken: zeroAddress,
    name: truncateText(cleanLine(dataText(log, 0)), MAX_NAME),
    symbol: truncateText(cleanLine(dataText(log, 1)), MAX_SYMBOL),
    metadataUri: dropLongUri(cleanLine(dataText(log, 2))),
    totalSupply: null,
    curve: {
      virtualQuote,
      virtualToken,
      saleSupply: virtualToken - lastToken,
      targetQuote,
    },
    pool: null,
    protocolFeeBps: null,
    creatorFeeBps: null,
  }
}

/** The event names the recipient of what is paid out, and no other wallet. */
function decodeTrade(log: Log, side: Side): UnpricedTradeFact {
  const wallet = log.topicAddress(1)
  const [amountIn, amountOut] = [dataAmount(log, 0), dataAmount(log, 1)]
  return {
    kind: 'unpriced-trade',
    side,
    launchpad: log.address,
    token: log.topicAddress(2),
    trader: wallet,
    recipient: wallet,
    quoteAmount: side === 'buy' ? amountIn : amountOut,
    tokenAmount: side === 'buy' ? amountOut : amountIn,
    protocolFee: null,
    creatorFee: null,
  }
}

/** The second word counts also the tokens that are kept for the pool: it is checked, and not used. */
function decodeSync(log: Log): LaunchpadFact {
  dataAmount(log, 1)
  return {
    kind: 'curve-state',
    token: log.topicAddress(1),
    realQuote: dataAmount(log, 0),
    virtualQuote: dataAmount(log, 2),
    virtualToken: dataAmount(log, 3),
    realToken: null,
  }
}
