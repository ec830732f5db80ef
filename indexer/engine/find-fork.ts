import type { Chain, Header } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import { ChainMovedError } from './gathered-logs.ts'

/** A reorg of a final block. Nothing is written until the chain returns to the indexed branch. */
export class DeepReorgError extends Error {
  override name = 'DeepReorgError'
}

/**
 * The newest stored block, from `highest` down to `finalized`, that is on the chain. While no block is final, the one below the
 * first indexed block is the last resort: it is not stored, and nothing of it is indexed.
 */
export async function findFork(
  db: Db,
  chain: Chain,
  { highest, finalized }: { highest: number; finalized: number },
): Promise<Header> {
  const getHeader = async (number: number) => {
    const header = await chain.getHeader(number)
    // That a node does not know the block does not show that it is on another branch.
    if (header === null) throw new ChainMovedError(`No node has block ${number}`)
    return header
  }
  const stored = await db
    .selectFrom('blocks')
    .select(['number', 'hash'])
    .where('number', '<=', highest)
    .where('number', '>=', finalized)
    .orderBy('number', 'desc')
    .execute()
  for (const { number, hash } of stored) {
    const header = await getHeader(number)
    if (header.hash === hash) return header
  }
  if (finalized >= 0 && highest > finalized && !(await hasStoredUpTo(db, finalized))) return getHeader(finalized)
  throw new DeepReorgError(
    `The chain was reorganised below block ${finalized}, which was taken as final. If the node is right, ` +
      'raise FINALITY and index again from an empty database.',
  )
}

async function hasStoredUpTo(db: Db, height: number): Promise<boolean> {
  const row = await db.selectFrom('blocks').select('number').where('number', '<=', height).limit(1).executeTakeFirst()
  return row !== undefined
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
