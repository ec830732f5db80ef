import type { Chain, Header } from '../../chain/rpc/client.ts'
import { getFinalizedHeader } from '../../chain/rpc/finalized-block.ts'
import type { Config } from '../../config/config.ts'
import { getBelow } from './find-fork.ts'

/**
 * The height up to which blocks are final at this head: that of a block, on chains that are known to skip heights, too. Never below
 * `known`, the height that was final before: a node may lag behind another one.
 */
export async function findFinalHeight(
  chain: Chain,
  finality: Config['finality'],
  head: Header,
  known: number,
): Promise<number> {
  const height = await findHeight(chain, finality, head, known)
  if (!chain.hasSkipped || height <= known) return height
  return Math.max(known, (await getBelow(chain, height)).number)
}

async function findHeight(
  chain: Chain,
  { unit, amount }: Config['finality'],
  head: Header,
  known: number,
): Promise<number> {
  if (unit === 'blocks') return Math.max(known, head.number - amount)
  if (unit === 'seconds') return findNewestFinal(chain, head, known, amount)
  const finalized = await getFinalizedHeader(chain)
  return Math.max(known, finalized?.number ?? known)
}

/**
 * The newest block that is at least `seconds` older than the head, or `known`. Searches upwards from `known` in growing
 * steps, then bisects: about three requests for each new block while the indexer follows the head.
 */
async function findNewestFinal(chain: Chain, head: Header, known: number, seconds: number): Promise<number> {
  let final = known
  let notFinal = head.number
  const isFinal = async (height: number) => {
    const header = await getBelow(chain, height)
    return header.time + seconds <= head.time
  }
  for (let step = 1; final + step < notFinal; step *= 2) {
    if (await isFinal(final + step)) final += step
    else notFinal = final + step
  }
  while (notFinal - final > 1) {
    const middle = Math.floor((final + notFinal) / 2)
    if (await isFinal(middle)) final = middle
    else notFinal = middle
  }
  return final
}
