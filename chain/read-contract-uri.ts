import type { Address } from 'viem'
import { cleanLine } from '../lib/text/clean-text.ts'
import { launchTokenAbi } from './abi/launch-token.ts'
import { dropLongUri } from './bounds.ts'
import type { Chain } from './rpc/client.ts'

/** The token's present contractURI, cleaned as that of a launch is. Rejects if the node fails, or the contract has none. */
export async function readContractUri({ client }: Chain, token: string): Promise<string> {
  const uri = await client.readContract({
    address: token as Address,
    abi: launchTokenAbi,
    functionName: 'contractURI',
  })
  return dropLongUri(cleanLine(uri))
}
