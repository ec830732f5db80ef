import type { Chain, Header } from './client.ts'
import { isMissingBlock, isRejected } from './node-failure.ts'

/** The node does not know the block tag `finalized`. */
export class UnknownTagError extends Error {
  override name = 'UnknownTagError'
}

/** The block of the tag `finalized`; null while the chain has none. Rejects with UnknownTagError, or the node's error. */
export async function getFinalizedHeader(chain: Pick<Chain, 'getHeader'>): Promise<Header | null> {
  try {
    return await chain.getHeader('finalized')
  } catch (error) {
    if (isMissingBlock(error)) return null
    if (!isRejected(error)) throw error
    // Without a cause: the node's error contains its URL, which may have a key.
    throw new UnknownTagError(
      'FINALITY is finalized, but the node of RPC_URL does not know this block tag. ' +
        'Set it to a number of blocks, such as 12, or of seconds, such as 60s',
    )
  }
}
