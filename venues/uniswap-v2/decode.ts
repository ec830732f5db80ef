import { toEventSelector } from 'viem'
import { dataAmount, type Log } from '../../chain/logs/log.ts'

export interface Sync {
  reserve0: bigint
  reserve1: bigint
}

export interface Swap {
  to: string
  amount0In: bigint
  amount1In: bigint
  amount0Out: bigint
  amount1Out: bigint
}

export const topics = {
  sync: toEventSelector('Sync(uint112,uint112)'),
  swap: toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)'),
} as const

export const decodeSync = (log: Log): Sync => ({ reserve0: dataAmount(log, 0), reserve1: dataAmount(log, 1) })

export function decodeSwap(log: Log): Swap {
  return {
    to: log.topicAddress(2),
    amount0In: dataAmount(log, 0),
    amount1In: dataAmount(log, 1),
    amount0Out: dataAmount(log, 2),
    amount1Out: dataAmount(log, 3),
  }
}
