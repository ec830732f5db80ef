import type { Chain, Header } from '../../chain/rpc/client.ts'
import type { BlockRange } from '../../chain/rpc/split-range.ts'
import { ChainMovedError } from './errors.ts'

/** The range up to the last block in it; if the chain has skipped all its heights, up to the next block. */
export async function endAtBlock(chain: Chain, { from, to }: BlockRange): Promise<BlockRange> {
  const found = await chain.findNeighbours(to)
  if (!found) throw new ChainMovedError(`No node has block ${to}`)
  const { below, above } = found
  return { from, to: below.number >= from ? below.number : above.number }
}

/**
 * The headers at heights of a range. A skipped height has none, but the block after the first height of the range stands for that
 * one. Rejects if the last height has no block, or no node shows that another one is skipped.
 */
export async function getHeaders(chain: Chain, { from, to }: BlockRange, heights: Iterable<number>): Promise<Header[]> {
  const found = await Promise.all(
    [...heights].map(async (height) => {
      const header = await chain.getHeader(height)
      if (header) return header
      const neighbours = await chain.findNeighbours(height)
      if (!neighbours || height === to) throw new ChainMovedError(`A block of [${from}, ${to}] is gone`)
      return height === from ? neighbours.above : null
    }),
  )
  return found.filter((header) => header !== null)
}
