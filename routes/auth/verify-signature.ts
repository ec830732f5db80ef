import { type Address, type Hex, recoverMessageAddress } from 'viem'
import type { Chain } from '../../chain/client.ts'
import { AppError } from '../../errors.ts'

const NODE_DEADLINE_MS = 5_000
/** Ends a signature of an account that is not deployed yet (EIP-6492). */
const UNDEPLOYED_SUFFIX = '6492649264926492649264926492649264926492649264926492649264926492'

/**
 * Whether a wallet signed a message. A key of its own is checked offline; an account that is a contract is asked
 * through the node (EIP-1271, or EIP-6492 before it is deployed). Rejects with NODE_UNAVAILABLE when only the node
 * could tell, and it does not.
 */
export async function verifySignature(
  chain: Pick<Chain, 'client'>,
  { wallet, message, signature }: { wallet: string; message: string; signature: string },
): Promise<boolean> {
  if (signature.length % 2 !== 0 || signature.length <= 2) return false
  if (await isSignedByKey(wallet, message, signature)) return true
  const address = wallet as Address
  const undeployed = signature.toLowerCase().endsWith(UNDEPLOYED_SUFFIX)
  if (!undeployed && (await beforeDeadline(chain.client.getCode({ address }))) === undefined) return false
  return beforeDeadline(chain.client.verifyMessage({ address, message, signature: signature as Hex }))
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

async function beforeDeadline<T>(question: Promise<T>): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The node took too long')), NODE_DEADLINE_MS)
  try {
    return await Promise.race([question, deadline])
  } catch (cause) {
    throw new AppError('NODE_UNAVAILABLE', {}, { cause, retryAfter: 1 })
  } finally {
    clearTimeout(timer)
  }
}
