import type { Chain, Header } from '../../chain/rpc/client.ts'
import type { Db } from '../../db/client.ts'
import { ChainMovedError, DeepReorgError } from './errors.ts'

/** Headers of stored blocks that are asked for at once. */
const MOST_AT_ONCE = 64

/**
 * The newest stored block, from `highest` down to `finalized`, that is on the chain. While nothing up to `finalized` is stored, the
 * block at that height is the last resort: nothing of it is indexed.
 */
export async function findFork(
  db: Db,
  chain: Chain,
  { highest, finalized }: { highest: number; finalized: number },
): Promise<Header> {
  const stored = await db
    .selectFrom('blocks')
    .select(['number', 'hash'])
    .where('number', '<=', highest)
    .where('number', '>=', finalized)
    .orderBy('number', 'desc')
    .execute()
  // Few blocks are orphaned at most times, and thousands may not be final.
  for (let from = 0, count = 1; from < stored.length; from += count, count = Math.min(2 * count, MOST_AT_ONCE)) {
    const some = stored.slice(from, from + count)
    const headers = await Promise.all(some.map(({ number }) => chain.getHeader(number)))
    for (const [index, { number, hash }] of some.entries()) {
      const header = headers[index] ?? (await getBelow(chain, number))
      if (header.hash === hash) return header
    }
  }
  if (finalized >= 0 && highest > finalized && !(await hasStoredUpTo(db, finalized))) return getBelow(chain, finalized)
  throw new DeepReorgError(
    `The chain was reorganised below block ${finalized}, which was taken as final. If the node is right, ` +
      'raise FINALITY and index again from an empty database.',
  )
}

/** The block at a height, or the one below it if the chain has skipped the height. Rejects if no node shows that. */
export async function getBelow(chain: Chain, height: number): Promise<Header> {
  const header = (await chain.findNeighbours(height))?.below
  // That a node does not know the block does not show that it is on another branch.
  if (!header) throw new ChainMovedError(`No node has block ${height}`)
  return header
}

async function hasStoredUpTo(db: Db, height: number): Promise<boolean> {
  const row = await db.selectFrom('blocks').select('number').where('number', '<=', height).limit(1).executeTakeFirst()
  return row !== undefined
}

/**
 * The headers of [from, to], linked by their parent hashes. Heights that the chain has skipped have none; the last ones may be
 * missing, too, but not all unless all are skipped. Rejects if the chain changes meanwhile.
 */
export async function getLinkedHeaders(chain: Chain, from: number, to: number): Promise<Header[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const found = await Promise.all(numbers.map((number) => chain.getHeader(number)))
  const headers = found.filter((header) => header !== null)
  const isLinked = headers.every(({ parentHash }, index) => index === 0 || headers[index - 1]?.hash === parentHash)
  if (!isLinked) throw new ChainMovedError('The head moved')
  // Between two headers, the link shows that the heights are skipped.
  if (headers[0]?.number !== from && !(await isSkippedUpTo(chain, from, headers[0]?.number ?? to + 1)))
    throw new ChainMovedError(`No node has block ${from}`)
  return headers
}

/** Whether the chain has no block of [from, below). */
async function isSkippedUpTo(chain: Chain, from: number, below: number): Promise<boolean> {
  const found = await chain.findNeighbours(from)
  return found !== null && found.below.number < from && found.above.number >= below
}
