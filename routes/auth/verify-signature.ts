import {
  type Address,
  compactSignatureToSignature,
  type Hex,
  hashMessage,
  parseAbi,
  parseCompactSignature,
  recoverMessageAddress,
  serializeSignature,
} from 'viem'
import type { Chain } from '../../chain/rpc/client.ts'
import { isNodeFailure } from '../../chain/rpc/node-failure.ts'
import { AppError } from '../../errors.ts'

/** The last word of signatures for accounts that may have no code yet: of EIP-6492 and of ERC-8010. */
const BEFORE_CODE = /^(6492){16}$|^(8010){16}$/

/** EIP-1271: the function of a contract that verifies signatures, and what it returns for a valid one. */
const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
const IS_VALID = '0x1626ba7e'

/** Length of an EIP-2098 signature in hex: 64 bytes. */
const COMPACT_LENGTH = 2 + 128

/**
 * Whether a wallet signed a message. Key signatures are verified offline, contract accounts by the node within one budget:
 * EIP-1271, where a signature may be empty; EIP-6492 before deployment; ERC-8010 before delegation. Throws NODE_UNAVAILABLE
 * if the node is needed and fails.
 */
export async function verifySignature(
  chain: Pick<Chain, 'client' | 'startBudget'>,
  { wallet, message, signature }: { wallet: string; message: string; signature: string },
): Promise<boolean> {
  if (signature.length % 2 !== 0) return false
  if (await isSignedByKey(wallet, message, signature as Hex)) return true
  const budget = chain.startBudget()
  try {
    const isValid = await budget.run(() => isSignedByContract(chain, wallet as Address, message, signature as Hex))
    // viem reports any failed call as an invalid signature, including calls that no node answered.
    if (!isValid && budget.failure !== undefined) throw budget.failure
    return isValid
  } catch (cause) {
    if (!isNodeFailure(cause)) throw cause
    throw new AppError('NODE_UNAVAILABLE', {}, { cause, retryAfter: 1 })
  }
}

async function isSignedByKey(wallet: string, message: string, signature: Hex): Promise<boolean> {
  try {
    const signer = await recoverMessageAddress({ message, signature: expand(signature) })
    return signer.toLowerCase() === wallet
  } catch {
    // Not a key signature; a contract may still accept it.
    return false
  }
}

/** The 65 bytes of an EIP-2098 signature; any other as it is. */
const expand = (signature: Hex): Hex =>
  signature.length === COMPACT_LENGTH
    ? serializeSignature(compactSignatureToSignature(parseCompactSignature(signature)))
    : signature

async function isSignedByContract(
  { client }: Pick<Chain, 'client'>,
  address: Address,
  message: string,
  signature: Hex,
) {
  try {
    if (BEFORE_CODE.test(signature.slice(-64))) return await client.verifyMessage({ address, message, signature })
    // An address without code is none of a contract, even if it answers: the identity precompile returns what it gets.
    if ((await client.getCode({ address })) === undefined) return false
    // Not viem's verifyMessage: its validator contract rejects signatures that are shorter than 32 bytes.
    const args = [hashMessage(message), signature] as const
    return (await client.readContract({ address, abi, functionName: 'isValidSignature', args })) === IS_VALID
  } catch (error) {
    if (isNodeFailure(error)) throw error
    // The contract reverted, or the wrapper of ERC-8010 cannot be decoded.
    return false
  }
}
