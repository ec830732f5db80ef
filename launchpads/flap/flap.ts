import { toEventSelector, zeroAddress } from 'viem'
import { dropLongUri, MAX_NAME, MAX_SYMBOL, requireAmounts, truncateText } from '../../chain/bounds.ts'
import { dataAddress, dataAmount, dataText, dataWord, type Log } from '../../chain/logs/log.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { uniswapV2OrV3 } from '../../venues/uniswap-v2-or-v3/uniswap-v2-or-v3.ts'
import type { CurveTerms, LaunchFact, Launchpad, LaunchpadFact, Side, UnpricedTradeFact } from '../launchpad.ts'

const trade = '(uint256,address,address,uint256,uint256,uint256,uint256)'
/** A launch, with the terms that other logs of its transaction contain, and the end of the curve. */
const creations = {
  create: toEventSelector('TokenCreated(uint256,address,uint256,address,string,string,string)'),
  quote: toEventSelector('TokenQuoteSet(address,address)'),
  curve: toEventSelector('TokenCurveSetV2(address,uint256,uint256,uint256)'),
  legacyCurve: toEventSelector('TokenCurveSet(address,address,uint256)'),
  threshold: toEventSelector('TokenDexSupplyThreshSet(address,uint256)'),
  graduate: toEventSelector('LaunchedToDEX(address,address,uint256,uint256)'),
  heldPool: toEventSelector('FlapTokenCLPoolCreated(address,bytes32,uint160)'),
} as const
const topics = {
  ...creations,
  buy: toEventSelector(`TokenBought${trade}`),
  sell: toEventSelector(`TokenSold${trade}`),
  supply: toEventSelector('FlapTokenCirculatingSupplyChanged(address,uint256)'),
} as const

/** Which word of an event names its token, if it is not the first: no argument is indexed. */
const tokenWord = new Map<string, number>([
  [topics.create, 3],
  [topics.buy, 1],
  [topics.sell, 1],
])

/** Every token has as many, with 18 decimals. */
const SUPPLY = 10n ** 27n
/** Flap counts the quote asset of a curve with as many, whatever the asset has. */
const WAD_DECIMALS = 18
const WAD = 10n ** BigInt(WAD_DECIMALS)
/** The product in the event is rounded: it may differ by one of so many parts. */
const ROUNDED_PARTS = 10n ** 9n

/**
 * Flap, the Portal of docs.flap.sh on BNB Smart Chain, Robinhood Chain and others. A launch is several events, and a curve has a
 * constant product: (10^9 + h - s) x (y + r) = k for s tokens sold. Whether a token graduates into a pair of Uniswap V2 or a pool of
 * V3 shows in the logs of the pool. Pools of PancakeSwap Infinity and of Uniswap V4 are not followed.
 */
export const flap: Launchpad = {
  kind: 'flap',
  contract: { abi: [], probes: [], uses: {} },
  capabilities: ['graduate'],
  emits: { protocolFees: true, creatorFees: false },
  venue: uniswapV2OrV3,
  topics: Object.values(topics),
  creationTopics: Object.values(creations),
  subjectOf,
  creationFilters: () => [{ topics: [topics.create, topics.graduate] }],
  decode(log, readOthers) {
    switch (log.topic0) {
      case topics.create:
        return decodeCreate(log, readOthers())
      case topics.buy:
        return decodeTrade(log, 'buy')
      case topics.sell:
        return decodeTrade(log, 'sell')
      case topics.supply:
        return { kind: 'curve-sold', token: dataAddress(log, 0), sold: dataAmount(log, 1) }
      case topics.graduate:
        return decodeGraduate(log, readOthers())
    }
    return undefined
  },
}

const WORD_BYTES = 32

const countWords = (log: Log): number => Math.floor((log.end - log.dataAt) / WORD_BYTES)

function subjectOf(log: Log): string | undefined {
  const word = tokenWord.get(log.topic0) ?? 0
  return (flap.topics as readonly string[]).includes(log.topic0) && word < countWords(log)
    ? dataAddress(log, word)
    : undefined
}

/** The last log of an event that names the token. */
const findLast = (others: readonly Log[], topic: string, token: string): Log | undefined =>
  others.findLast((other) => other.topic0 === topic && subjectOf(other) === token)

function decodeCreate(log: Log, others: readonly Log[]): LaunchFact {
  const token = dataAddress(log, 3)
  const quote = findLast(others, topics.quote, token)
  return {
    kind: 'create',
    launchpad: log.address,
    token,
    creator: dataAddress(log, 1),
    quoteToken: quote === undefined ? zeroAddress : dataAddress(quote, 1),
    name: truncateText(cleanLine(dataText(log, 4)), MAX_NAME),
    symbol: truncateText(cleanLine(dataText(log, 5)), MAX_SYMBOL),
    metadataUri: toMetadataUri(cleanLine(dataText(log, 6))),
    totalSupply: SUPPLY,
    curve: readTerms(log, token, others),
    pool: null,
    protocolFeeBps: null,
    creatorFeeBps: null,
  }
}

/** A document of IPFS is named by its CID alone. */
const toMetadataUri = (meta: string): string => dropLongUri(/^\w+$/.test(meta) ? `ipfs://${meta}` : meta)

/** Until version 4.7.0 of the Portal, only r was in an event: h was 0. */
function readTerms(log: Log, token: string, others: readonly Log[]): CurveTerms {
  const curve = findLast(others, topics.curve, token)
  const legacy = findLast(others, topics.legacyCurve, token)
  const threshold = findLast(others, topics.threshold, token)
  if (threshold === undefined || (curve === undefined && legacy === undefined))
    throw new RangeError(`Log ${log.txHash}/${log.logIndex}: its transaction has no terms of the curve`)
  const r = curve === undefined ? dataAmount(legacy!, 2) : dataAmount(curve, 1)
  const virtualToken = SUPPLY + (curve === undefined ? 0n : dataAmount(curve, 2))
  const product = (r * virtualToken) / WAD
  const difference = curve === undefined ? 0n : product - dataAmount(curve, 3)
  const saleSupply = dataAmount(threshold, 1)
  if (saleSupply === 0n || saleSupply >= virtualToken || saleSupply > SUPPLY || r === 0n)
    throw new RangeError(`Log ${log.txHash}/${log.logIndex}: a curve of ${r} cannot sell ${saleSupply} tokens`)
  if ((difference < 0n ? -difference : difference) * ROUNDED_PARTS > product)
    throw new RangeError(`Log ${log.txHash}/${log.logIndex}: the product of the curve is not that of its reserves`)
  const left = virtualToken - saleSupply
  const targetQuote = (r * virtualToken + left - 1n) / left - r
  requireAmounts(virtualToken, targetQuote)
  return { virtualQuote: r, virtualToken, saleSupply, targetQuote, quoteDecimals: WAD_DECIMALS }
}

/**
 * The event names the account that the Portal has paid, or that has paid it, and no other wallet. The amount of a purchase is what
 * was paid, with the fee and the token's tax; that of a sale what was got, without them. No event contains the tax.
 */
function decodeTrade(log: Log, side: Side): UnpricedTradeFact {
  // The price, whose size has no bound: an incomplete log is rejected.
  dataWord(log, 6)
  const wallet = dataAddress(log, 2)
  return {
    kind: 'unpriced-trade',
    side,
    launchpad: log.address,
    token: dataAddress(log, 1),
    trader: wallet,
    recipient: wallet,
    tokenAmount: dataAmount(log, 3),
    quoteAmount: dataAmount(log, 4),
    protocolFee: dataAmount(log, 5),
    creatorFee: null,
  }
}

/** A pool that another contract holds is none that can be followed: the curve has ended all the same. */
function decodeGraduate(log: Log, others: readonly Log[]): LaunchpadFact {
  const [token, pool] = [dataAddress(log, 0), dataAddress(log, 1)]
  const liquidity = { token: dataAmount(log, 2), quote: dataAmount(log, 3) }
  if (findLast(others, topics.heldPool, token) !== undefined) return { kind: 'completed', token }
  return { kind: 'graduate', launchpad: log.address, token, pool, liquidity }
}
