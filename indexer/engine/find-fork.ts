import type { Chain, Header } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import { ChainMovedError } from './fetch.ts'

/** A reorg of a final block. Nothing is written until the chain returns to the indexed branch. */
export class DeepReorgError extends Error {
  override name = 'DeepReorgError'
}

/** The newest stored block, from `highest` down to `finalized`, that is on the chain. */
export async function findFork(db: Db, chain: Chain, highest: number, finalized: number): Promise<Header> {
  const stored = await db
    .selectFrom('blocks')
    .select(['number', 'hash'])
    .where('number', '<=', highest)
    .where('number', '>=', finalized)
    .orderBy('number', 'desc')
    .execute()
  for (const { number, hash } of stored) {
    const header = await chain.getHeader(number)
    if (header?.hash === hash) return header
  }
  throw new DeepReorgError(
    `The chain was reorganised below block ${finalized}, which was taken as final. If the node is right, ` +
      'raise FINALITY and index again from an empty database.',
  )
}

/** The headers of [from, to], linked by their parent hashes. Rejects if the chain changes meanwhile. */
export async function getLinkedHeaders(chain: Chain, from: number, to: number): Promise<Header[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const headers = await Promise.all(numbers.map((number) => chain.getHeader(number)))
  return headers.map((header, index) => {
    const previous = headers[index - 1]
    if (!header || (index > 0 && previous?.hash !== header.parentHash)) throw new ChainMovedError('The head moved')
    return header
  })
}
