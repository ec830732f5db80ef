import { zeroAddress } from 'viem'
import { NATIVE_DECIMALS } from '../chain/amounts.ts'

/** The asset of a pool's rewards, if it is the native coin. */
export const rewardQuote = (row: { reward_token: string; native_symbol: string }) =>
  row.reward_token === zeroAddress ? nativeQuote(row.native_symbol) : null

/** The native coin as the asset in which a record's amounts are counted. */
export const nativeQuote = (symbol: string) => ({ address: zeroAddress, symbol, decimals: NATIVE_DECIMALS })
