import { type Address, type Hex, recoverMessageAddress } from 'viem'
import type { Chain } from '../../chain/client.ts'
import { isNodeFailure } from '../../chain/node-failure.ts'
import { AppError } from '../../errors.ts'

/** Suffix of a signature of an undeployed account (EIP-6492). */
const UNDEPLOYED_SUFFIX = '6492649264926492649264926492649264926492649264926492649264926492'

/**
 * Whether a wallet signed a message. Key signatures are verified offline, contract accounts by the node within one budget
 * (EIP-1271, or EIP-6492 before deployment). Throws NODE_UNAVAILABLE if the node is needed and fails.
 */
export async function verifySignature(
  chain: Pick<Chain, 'client' | 'startBudget'>,
  { wallet, message, signature }: { wallet: string; message: string; signature: string },
): Promise<boolean> {
  if (signature.length % 2 !== 0 || signature.length <= 2) return false
  if (await isSignedByKey(wallet, message, signature)) return true
  const address = wallet as Address
  const undeployed = signature.toLowerCase().endsWith(UNDEPLOYED_SUFFIX)
  const budget = chain.startBudget()
  try {
    const isValid = await budget.run(async () => {
      if (!undeployed && (await chain.client.getCode({ address })) === undefined) return false
      return chain.client.verifyMessage({ address, message, signature: signature as Hex })
    })
    // viem reports any failed call as an invalid signature, including calls that no node answered.
    if (!isValid && budget.failure !== undefined) throw budget.failure
    return isValid
  } catch (cause) {
    if (!isNodeFailure(cause)) throw cause
    throw new AppError('NODE_UNAVAILABLE', {}, { cause, retryAfter: 1 })
  }
}

async function isSignedByKey(wallet: string, message: string, signature: string): Promise<boolean> {
  try {
    const signer = await recoverMessageAddress({ message, signature: signature as Hex })
    return signer.toLowerCase() === wallet
  } catch {
    // Not a key signature; a contract may still accept it.
    return false
  }
}
