import { concat, type Hex, numberToHex, pad, size } from 'viem'
import { isExecutionError } from '../../chain/rpc/node-failure.ts'
import type { Clients } from './clients.ts'
import { type ContractName, creationCodeLength, creationGas } from './creations.ts'
import { OptionError } from './options.ts'

type Client = Pick<Clients['publicClient'], 'request' | 'getBlock'>

/** Init code that returns the word 1 if the EVM knows an opcode. The compiler is set to Cancun: see standard-input.ts. */
const OPCODES: readonly { name: string; fork: string; code: Hex }[] = [
  // PUSH1 1, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
  { name: 'PUSH0', fork: 'Shanghai', code: '0x60015f5260205ff3' },
  // mem[0] = 1; MCOPY to 32; RETURN
  { name: 'MCOPY', fork: 'Cancun', code: '0x60016000526020600060205e60206020f3' },
  // TSTORE at 0; mem[0] = TLOAD; RETURN
  { name: 'TSTORE', fork: 'Cancun', code: '0x600160005d60005c60005260206000f3' },
]
/** EIP-170 */
const ETHEREUM_CODE_LIMIT = 24_576
/** mem[0] = CHAINID; RETURN */
const CHAIN_ID: Hex = '0x4660005260206000f3'

/**
 * Rejects a chain on which the contracts would be dead or could not be created, before anything is paid for: an EVM without their
 * opcodes, of another chain id than the node's, or with smaller limits.
 */
export async function checkEvm(client: Client, chainId: number, names: readonly ContractName[]): Promise<void> {
  const missing: string[] = []
  for (const { name, fork, code } of OPCODES)
    if ((await run(client, code)) !== pad('0x1')) missing.push(`${name} (${fork})`)
  if (missing.length > 0)
    throw new OptionError(
      `The EVM of chain ${chainId} lacks ${missing.join(', ')}, which the contracts need: they would be dead. ` +
        'Use a chain with the Cancun upgrade; or compile them for this one (evmVersion in contracts/standard-input.ts), and audit that build',
    )
  const actual = await run(client, CHAIN_ID)
  if (actual !== pad(numberToHex(chainId)))
    throw new OptionError(
      `RPC_URL: the node says that it is on chain ${chainId}, but contracts there see chain ${actual ? BigInt(actual) : 'none'}, so that ` +
        'signatures for one are invalid for the other. Use another node',
    )
  // An upper bound of the code: it is shorter than its creation, and within the limit of Ethereum.
  const lengths = names.map((name) => creationCodeLength(name) / 2 - 1)
  const largest = Math.min(Math.max(...lengths), ETHEREUM_CODE_LIMIT)
  const code = concat(['0x61', numberToHex(largest, { size: 2 }), '0x6000f3'])
  const created = await run(client, pad(code, { dir: 'right', size: largest }))
  if (created === undefined || size(created) !== largest)
    throw new OptionError(
      `Chain ${chainId} does not take contracts of ${largest} bytes of code. Use a chain with the limit of Ethereum, ${ETHEREUM_CODE_LIMIT} bytes`,
    )
  const { gasLimit } = await client.getBlock()
  const needed = Math.max(...names.map((name) => Number(creationGas[name])))
  if (gasLimit < needed)
    throw new OptionError(
      `The blocks of chain ${chainId} have ${gasLimit} gas; a contract needs up to ${needed}. Use a chain with larger blocks`,
    )
}

/** What init code returns; undefined if the EVM fails. Rejects if the node does. */
async function run(client: Client, data: Hex): Promise<Hex | undefined> {
  try {
    return await client.request({ method: 'eth_call', params: [{ data }, 'latest'] })
  } catch (error) {
    if (isExecutionError(error)) return undefined
    throw new OptionError('RPC_URL: the node does not run code of contracts that are not there yet (eth_call)', {
      cause: error,
    })
  }
}
