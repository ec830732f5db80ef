import { encodeFunctionData } from 'viem'
import { launchpadAbi as abi } from '../../chain/abi/launchpad.ts'
import type { OpenGraduation } from '../launchpad.ts'

export const graduation: OpenGraduation = {
  encode: (token) => encodeFunctionData({ abi, functionName: 'graduate', args: [token] }),
  gas: { abi, functionName: 'GRADUATION_GAS' },
}
