import { toEventSelector } from 'viem'
import { dataSignedAmount, dataWord, type Log } from '../../chain/logs/log.ts'
import { dataSqrtPrice } from '../uniswap-v3/decode.ts'

export const topics = {
  initialize: toEventSelector('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)'),
  swap: toEventSelector('Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)'),
} as const

/** amount0 and amount1: what the swapper gets, negative for what it pays: Uniswap V3 has the opposite signs. */
export interface Swap {
  /** The contract that called the manager: a router, or a wallet's own contract. */
  sender: string
  amount0: bigint
  amount1: bigint
  /** After the swap, see toFraction. */
  sqrtPrice: bigint
}

/** The square root of the first price. */
export function decodeInitialize(log: Log): bigint {
  log.topicAddress(3)
  // The last word: an incomplete log is invalid.
  dataWord(log, 4)
  return dataSqrtPrice(log, 3)
}

export function decodeSwap(log: Log): Swap {
  dataWord(log, 5)
  return {
    sender: log.topicAddress(2),
    amount0: dataSignedAmount(log, 0),
    amount1: dataSignedAmount(log, 1),
    sqrtPrice: dataSqrtPrice(log, 2),
  }
}
