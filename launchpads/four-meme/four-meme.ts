import { type Hex, toEventSelector, zeroAddress } from 'viem'
import { MAX_NAME, MAX_SYMBOL, requireAmounts, truncateText } from '../../chain/bounds.ts'
import { answerAddress } from '../../chain/logs/contract-read.ts'
import { dataAddress, dataAmount, dataText, dataWord, type Log } from '../../chain/logs/log.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { factory, readPair } from '../../venues/uniswap-v2/factory.ts'
import { uniswapV2 } from '../../venues/uniswap-v2/uniswap-v2.ts'
import type { CurveTradeFact, GraduationFact, LaunchFact, Launchpad, Side } from '../launchpad.ts'
import { parseTokenInfo, readTokenInfo } from './token-info.ts'

const trade = '(address,address,uint256,uint256,uint256,uint256,uint256,uint256)'
const topics = {
  create: toEventSelector('TokenCreate(address,address,uint256,string,string,uint256,uint256,uint256)'),
  buy: toEventSelector(`TokenPurchase${trade}`),
  sell: toEventSelector(`TokenSale${trade}`),
  stop: toEventSelector('TradeStop(address)'),
  graduate: toEventSelector('LiquidityAdded(address,uint256,address,uint256)'),
} as const

/** Which word of an event names its token: no argument is indexed. */
const tokenWord = new Map<string, number>([
  [topics.create, 1],
  [topics.buy, 0],
  [topics.sell, 0],
  [topics.stop, 0],
  [topics.graduate, 0],
])

/** The prices in events are of so many base units of the token. */
const PRICED_TOKENS = 10n ** 18n

/**
 * Four.meme V2 on BNB Smart Chain: TokenManager2 of four-meme-community/fourmeme-docs. The events leave out the quote asset and the
 * terms of a token, and the pair into which it graduates; calls return them. The curve's formula is not published: its events
 * contain the price, and what is sold and raised.
 */
export const fourMeme: Launchpad = {
  kind: 'four-meme',
  contract: { abi: [], probes: [], uses: {} },
  needs: factory.deployment,
  capabilities: ['graduate'],
  emits: { protocolFees: true, creatorFees: false },
  venue: uniswapV2,
  topics: Object.values(topics),
  creationTopics: [topics.create, topics.graduate],
  subjectOf,
  creationFilters: () => [{ topics: [topics.create, topics.graduate] }],
  reads(log, { needed, wrappedNative }) {
    const token = subjectOf(log)
    if (token === undefined) return undefined
    if (log.topic0 === topics.create) return readTokenInfo(log.address, token)
    if (log.topic0 !== topics.graduate || needed === undefined || countWords(log) < 3) return undefined
    const quote = dataAddress(log, 2)
    return readPair(needed, token, quote === zeroAddress ? wrappedNative : quote)
  },
  decode(log, _readOthers, answer) {
    switch (log.topic0) {
      case topics.create:
        return decodeCreate(log, requireAnswer(log, answer))
      case topics.buy:
        return decodeTrade(log, 'buy')
      case topics.sell:
        return decodeTrade(log, 'sell')
      case topics.stop:
        return { kind: 'completed', token: dataAddress(log, 0) }
      case topics.graduate:
        return decodeGraduate(log, requireAnswer(log, answer))
    }
    return undefined
  },
}

const WORD_BYTES = 32

const countWords = (log: Log): number => Math.floor((log.end - log.dataAt) / WORD_BYTES)

function subjectOf(log: Log): string | undefined {
  const word = tokenWord.get(log.topic0)
  return word !== undefined && word < countWords(log) ? dataAddress(log, word) : undefined
}

function requireAnswer(log: Log, answer: Hex | null | undefined): Hex {
  if (answer) return answer
  throw new RangeError(`Log ${log.txHash}/${log.logIndex}: what the contracts say about it could not be read yet`)
}

function decodeCreate(log: Log, answer: Hex): LaunchFact {
  const { quote, maxOffers, maxRaising } = parseTokenInfo(answer)
  // The last of its arguments: an incomplete log is rejected. They are not kept, so they may have any size.
  dataWord(log, 7)
  return {
    kind: 'create',
    launchpad: log.address,
    token: dataAddress(log, 1),
    creator: dataAddress(log, 0),
    quoteToken: quote,
    name: truncateText(cleanLine(dataText(log, 3)), MAX_NAME),
    symbol: truncateText(cleanLine(dataText(log, 4)), MAX_SYMBOL),
    metadataUri: '',
    totalSupply: dataAmount(log, 5),
    // Without virtual reserves there is no price before the first trade.
    curve: { virtualQuote: 0n, virtualToken: 0n, saleSupply: maxOffers, targetQuote: maxRaising },
    pool: null,
    protocolFeeBps: null,
    creatorFeeBps: null,
  }
}

/** The event names the recipient of a purchase and the seller of a sale, and no other wallet. The cost is without the fee. */
function decodeTrade(log: Log, side: Side): CurveTradeFact {
  const wallet = dataAddress(log, 1)
  const [price, tokenAmount, cost, fee] = [2, 3, 4, 5].map((word) => dataAmount(log, word)) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  const quoteAmount = side === 'buy' ? cost + fee : cost - fee
  if (quoteAmount < 0n) throw new RangeError(`Log ${log.txHash}/${log.logIndex}: the fee exceeds the proceeds`)
  requireAmounts(quoteAmount)
  return {
    kind: 'curve-trade',
    side,
    launchpad: log.address,
    token: dataAddress(log, 0),
    trader: wallet,
    recipient: wallet,
    quoteAmount,
    tokenAmount,
    protocolFee: fee,
    creatorFee: null,
    virtualQuote: price,
    virtualToken: PRICED_TOKENS,
    realQuote: dataAmount(log, 7),
    realToken: dataAmount(log, 6),
  }
}

/** The tokens in the event are those that were offered to the pair, which may have taken fewer. */
function decodeGraduate(log: Log, answer: Hex): GraduationFact {
  dataWord(log, 3)
  const pool = answerAddress(answer, 0)
  return { kind: 'graduate', launchpad: log.address, token: dataAddress(log, 0), pool, liquidity: null }
}
