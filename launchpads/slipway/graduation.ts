import { type Address, encodeFunctionData, type Hex } from 'viem'
import { launchpadAbi as abi } from '../../chain/abi/launchpad.ts'

/** Encodes the call that moves a completed token into its pool. Any account may send it. */
export const encodeGraduation = (token: Address): Hex =>
  encodeFunctionData({ abi, functionName: 'graduate', args: [token] })

/** The call that returns the gas of a graduation. */
export const graduationGas = { abi, functionName: 'GRADUATION_GAS' } as const
