import type { Chain, Header } from './client.ts'

/** Number of blocks below the head whose intervals are measured. */
const SAMPLE = 32
const ESTIMATE_TTL_MS = 600_000
/** The head may be as old as FACTOR times the longest interval, or LEAST_SECONDS if that is more. */
const FACTOR = 10
const LEAST_SECONDS = 120

/** Its message is public. */
export class StaleHeadError extends Error {
  override readonly name = 'StaleHeadError'
}

/** Maximum age of the head in seconds, from recent block intervals; null if the chain has too few blocks. */
async function estimateMaxAge(chain: Pick<Chain, 'getHeader'>, head: Header): Promise<number | null> {
  const heights = Array.from({ length: SAMPLE }, (_, index) => head.number - 1 - index).filter((number) => number > 0)
  if (heights.length < SAMPLE) return null
  const headers = await Promise.all(heights.map((number) => chain.getHeader(number)))
  // Some chains skip heights.
  const times = [head, ...headers].flatMap((header) => header?.time ?? [])
  const longest = Math.max(...times.slice(1).map((time, index) => times[index]! - time))
  return Number.isFinite(longest) ? Math.max(LEAST_SECONDS, FACTOR * longest) : null
}

/**
 * Returns a check that throws if the head is stale. maxAge: seconds; null derives it from recent block intervals; 0 disables
 * the check, for chains that mine on demand.
 */
export function createHeadCheck(chain: Pick<Chain, 'getHeader'>, maxAge: number | null, now = Date.now) {
  let learned: { maxAge: number; until: number } | undefined
  return async (head: Header): Promise<void> => {
    if (maxAge === 0) return
    const age = now() / 1000 - head.time
    if (maxAge === null && age > LEAST_SECONDS && (!learned || now() > learned.until)) {
      const found = await estimateMaxAge(chain, head)
      learned = found === null ? undefined : { maxAge: found, until: now() + ESTIMATE_TTL_MS }
    }
    const limit = maxAge ?? learned?.maxAge ?? Number.POSITIVE_INFINITY
    if (age > limit)
      throw new StaleHeadError(`the newest block is ${Math.round(age)} s old; at most ${limit} s are expected`)
  }
}
