import { type Address, type Hex, recoverMessageAddress } from 'viem'
import type { Chain } from '../../chain/client.ts'
import { isNodeFailure } from '../../chain/node-failure.ts'
import { AppError } from '../../errors.ts'

/** Ends a signature of an account that is not deployed yet (EIP-6492). */
const UNDEPLOYED_SUFFIX = '6492649264926492649264926492649264926492649264926492649264926492'

/**
 * Whether a wallet signed a message. A key of its own is checked offline; an account that is a contract is asked
 * through the node (EIP-1271, or EIP-6492 before it is deployed), all of it within one budget. Rejects with
 * NODE_UNAVAILABLE when only the node could tell, and it does not.
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
    // viem takes every call that failed for an invalid signature, those that no node answered included.
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
    // Not the form of a key's signature; a contract may still accept it.
    return false
  }
}
