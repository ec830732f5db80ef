import type { Hex } from 'viem'

/** An unsigned contract call. */
export interface UnsignedCall {
  to: string
  data: Hex
  /** Native coin, in base units. */
  value: bigint
}

export interface TradeCallArgs {
  token: string
  side: 'buy' | 'sell'
  amount: bigint
  minimumOut: bigint
  recipient: string
  /** Unix seconds. */
  deadline: number
}
