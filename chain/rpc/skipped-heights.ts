import { isSkippedHeight } from './node-failure.ts'
import type { Header } from './parse-responses.ts'

/*
 * Some chains have heights without a block, such as Filecoin, whose null rounds are answered by null or by an error. A node that
 * lags behind answers null as well, so a height counts as skipped only if the block above it names a parent below it.
 */

/** Numbers of heights above a missing block that are asked for at once: most gaps are short. */
const SEARCHED = [4, 32, 256]

/** What is read of a chain. */
interface Headers {
  getHeader(at: number | 'latest'): Promise<Header | null>
  getHeaderByHash(hash: string): Promise<Header | null>
}

/** The blocks around a height: the same one twice if the height has a block. */
export interface Neighbours {
  below: Header
  above: Header
}

/** Null if the nodes do not show what is at the height. */
export async function findNeighbours(chain: Headers, height: number): Promise<Neighbours | null> {
  const header = await chain.getHeader(height)
  if (header) return { below: header, above: header }
  const above = await findAbove(chain, height)
  if (!above) return null
  const below = await chain.getHeaderByHash(above.parentHash)
  // One that has the height was mined, or reached the node, since it was asked.
  if (below?.number === height) return { below, above: below }
  return below && below.number < height ? { below, above } : null
}

async function findAbove(chain: Headers, height: number): Promise<Header | undefined> {
  const head = (await chain.getHeader('latest'))?.number ?? height
  let next = height + 1
  for (const count of SEARCHED) {
    if (next > head) return undefined
    const heights = Array.from({ length: Math.min(count, head - next + 1) }, (_, index) => next + index)
    const found = (await Promise.all(heights.map((number) => chain.getHeader(number)))).find(
      (header) => header !== null,
    )
    if (found) return found
    next += count
  }
  return undefined
}

/** Null where a node answers that a height has no block. Rejects with its other errors. */
export function nullIfSkipped(error: unknown): null {
  if (isSkippedHeight(error)) return null
  throw error
}
