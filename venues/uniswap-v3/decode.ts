import { toEventSelector } from 'viem'
import { dataSignedAmount, dataWord, type Log } from '../../chain/logs/log.ts'

export const topics = {
  initialize: toEventSelector('Initialize(uint160,int24)'),
  swap: toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
  // Two more words, the fees of the protocol, follow.
  pancakeSwap: toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)'),
  // What is paid in for them is no sale.
  mint: toEventSelector('Mint(address,address,int24,int24,uint128,uint256,uint256)'),
  flash: toEventSelector('Flash(address,address,uint256,uint256,uint256,uint256)'),
} as const

/** amount0 and amount1: what the pool received, negative for what it paid out. sqrtPrice: after the swap, see toFraction. */
export interface Swap {
  recipient: string
  amount0: bigint
  amount1: bigint
  sqrtPrice: bigint
}

/** The square root of the first price. */
export function decodeInitialize(log: Log): bigint {
  // The last word: an incomplete log is invalid.
  dataWord(log, 1)
  return dataSqrtPrice(log, 0)
}

export function decodeSwap(log: Log): Swap {
  dataWord(log, log.topic0 === topics.pancakeSwap ? 6 : 4)
  return {
    recipient: log.topicAddress(2),
    amount0: dataSignedAmount(log, 0),
    amount1: dataSignedAmount(log, 1),
    sqrtPrice: dataSqrtPrice(log, 2),
  }
}

/** Least and greatest square root of a price of Uniswap V3: TickMath.sol. */
const [MIN_SQRT_PRICE, MAX_SQRT_PRICE] = [
  4_295_128_739n,
  1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n,
]

/** The square root of a price in the index-th word of the data; Uniswap V4 has the same bounds. */
export function dataSqrtPrice(log: Log, index: number): bigint {
  const price = dataWord(log, index)
  if (price < MIN_SQRT_PRICE || price > MAX_SQRT_PRICE)
    throw new RangeError(`Log ${log.txHash}/${log.logIndex}: word ${index} is no square root of a price`)
  return price
}
