import { zeroAddress } from 'viem'
import { NATIVE_DECIMALS } from '../chain/amounts.ts'

/** The native coin as the asset in which a record's amounts are counted. */
export const nativeQuote = (symbol: string) => ({ address: zeroAddress, symbol, decimals: NATIVE_DECIMALS })
